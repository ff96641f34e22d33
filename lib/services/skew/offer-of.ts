import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { offered, type Offered } from '@/lib/domain/skew/offered'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { SkewMode, SkewSpec } from '@/lib/domain/skew/types'
import { isAcknowledged } from '@/lib/domain/skew/verdict'

export const OFFER = {
  ...{ evidence: true, mode: true, specSkew: true, recordedOcp: true, recordedRhcos: true, unheardWhy: true },
} as const

type Card = Pick<OpenShiftCluster, keyof typeof OFFER>

/** The version that the cluster's own configuration acknowledges, whoever wrote it there, where its operator has taken that up. */
export function acknowledgedIn({ mode, specSkew, recordedOcp, recordedRhcos }: Omit<Card, 'evidence' | 'unheardWhy'>) {
  const recorded = {
    ...(recordedOcp && { ocpVersion: recordedOcp }),
    ...(recordedRhcos && { rhcosVersion: recordedRhcos }),
  }
  const spec = specSkew as unknown as SkewSpec | null
  return isAcknowledged({ mode: mode as SkewMode | null, spec, recorded }) ? recorded : null
}

/** What an acknowledgement begins with; nothing, where what it would be by may be old. */
export function offerOf(card: Card): Offered | null {
  if (card.unheardWhy !== null) return null
  const { best = null, items = [] } = card.evidence as unknown as Partial<StoredEvidence>
  return offered(best, acknowledgedIn(card), items)
}
