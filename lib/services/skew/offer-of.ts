import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { offered, type Offered } from '@/lib/domain/skew/offered'
import type { StoredEvidence } from '@/lib/domain/skew/stored'

export const OFFER = {
  ...{ evidence: true, mode: true, specSkew: true, recordedOcp: true, recordedRhcos: true, unheardWhy: true },
} as const

/** What an acknowledgement begins with, as on the cluster's own page. */
export function offerOf(card: Pick<OpenShiftCluster, keyof typeof OFFER>): Offered | null {
  const { evidence, mode, specSkew, recordedOcp, recordedRhcos, unheardWhy } = card
  if (unheardWhy !== null) return null
  const { best = null, items = [] } = evidence as unknown as Partial<StoredEvidence>
  const acknowledged = mode === 'Manual' && specSkew !== null
  return offered(best, acknowledged ? { ocpVersion: recordedOcp, rhcosVersion: recordedRhcos } : null, items)
}
