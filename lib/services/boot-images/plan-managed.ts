import { managedSteps, wishProblem, type ManagedNow, type ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import { selectorOf } from '@/lib/domain/boot-images/managed/selector'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import { ServiceError } from '../errors'
import { notRead, unsupported } from '../skew/unsupported'
import { managesPlanes, type managedCluster } from './managed-now'
import type { ManagedInput } from './schemas'

export const wishOf = ({ sets, controlPlanes, skew }: Omit<ManagedInput, 'clusterId'>): ManagedWish => ({
  sets: sets.mode === 'Partial' ? { mode: 'Partial', selector: selectorOf(sets.rows) } : sets,
  ...(controlPlanes && { controlPlanes }),
  ...(skew && { skew }),
})

/** The writes of a wish, or a sentence that says why it cannot be made. */
export function planManaged(wish: ManagedWish, now: ManagedNow, card: Awaited<ReturnType<typeof managedCluster>>) {
  const { platform } = card.evidence as unknown as StoredEvidence
  const planes = managesPlanes(card.cluster.discovery, platform)
  if (wish.controlPlanes && planes === null)
    throw notRead(`OpenShift ${card.version ?? ''} manages the boot image of its control plane’s set`)
  if (wish.controlPlanes && !planes)
    throw new ServiceError('invalid', 'This cluster does not manage the boot image of its control plane’s set.', {
      hint: 'It comes with OpenShift 4.22, on AWS, GCP and Azure. Leave the control plane as it is.',
    })
  if (wish.skew && !card.skewSupported)
    throw unsupported(card, 'Nothing has to be recorded before: send the rest alone.')
  const problem = wishProblem(wish, now)
  if (problem) throw new ServiceError('invalid', problem, { fields: [{ field: 'skew', message: problem }] })
  return managedSteps(wish, now, card.managing.none)
}
