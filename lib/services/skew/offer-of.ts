import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { offered, type Offered } from '@/lib/domain/skew/offered'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { SkewMode, SkewSpec } from '@/lib/domain/skew/types'
import { isAcknowledged } from '@/lib/domain/skew/verdict'

export const OFFER = { evidence: true, specSkew: true, unheardWhy: true } as const

type Card = Pick<OpenShiftCluster, keyof typeof OFFER>
type Said = Pick<OpenShiftCluster, 'mode' | 'specSkew' | 'recordedOcp' | 'recordedRhcos'>

/** The version that the cluster's own configuration acknowledges, whoever wrote it there, where its operator has taken that up. */
export function acknowledgedIn({ mode, specSkew, recordedOcp, recordedRhcos }: Said) {
  const recorded = {
    ...(recordedOcp && { ocpVersion: recordedOcp }),
    ...(recordedRhcos && { rhcosVersion: recordedRhcos }),
  }
  const spec = specSkew as unknown as SkewSpec | null
  return isAcknowledged({ mode: mode as SkewMode | null, spec, recorded }) ? recorded : null
}

/** What an acknowledgement begins with, whether its operator has taken up the one before or not; nothing, where what it would be by may be old. */
export function offerOf(card: Card): Offered | null {
  if (card.unheardWhy !== null) return null
  const { best = null, items = [] } = card.evidence as unknown as Partial<StoredEvidence>
  const spec = card.specSkew as unknown as SkewSpec | null
  return offered(best, spec?.mode === 'Manual' ? (spec.manual ?? null) : null, items)
}
