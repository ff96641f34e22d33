import { db } from '@/lib/db/client'
import { NOT_NOW } from '@/lib/domain/latch/names'
import { movingUnapproved } from '@/lib/services/changes/let-go-outside'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import { closedWords, TIMED, timingOf } from '@/lib/services/policies/timing'
import type { ClusterView } from '../types'
import { knownMidway } from './midway'
import { stop } from './stop'

/** What was midway, to be looked at again sooner than the rest. */
const midway = new WeakMap<ClusterView, Set<string>>()
export const awaitsMidway = (view: ClusterView): boolean => (midway.get(view)?.size ?? 0) > 0

/**
 * What moves although nobody approved it is held where a person here says so: there is no decision that could wait for its time.
 * All at once, and each for itself: one that cannot be held keeps no other one from it. Throws where that was so.
 */
export async function holdUnapproved(view: ClusterView): Promise<void> {
  const { clusterId } = view
  const running = await db().change.findMany({
    where: { clusterId, state: { in: UNDER_WAY }, pausedAt: { not: null }, decisions: { none: LETS_GO } },
    select: {
      ...{ id: true, groupId: true, groupKind: true, groupName: true, namespace: true, digest: true, ...TIMED },
    },
  })
  const moving = await movingUnapproved(
    db(),
    running.map(({ id }) => id),
  )
  const waits = new Set<string>()
  midway.set(view, waits)
  const holding = running.map(async (change) => {
    const timing = timingOf({}, change)
    if (!moving.has(change.id) || timing.open) return
    if (await knownMidway(view, change)) return void waits.add(change.id)
    await stop(view, change, `${NOT_NOW}${closedWords(timing)}`)
  })
  const failed = (await Promise.allSettled(holding)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (failed.length > 0)
    throw new AggregateError(failed, `${failed.length} unapproved rollouts could not be held: ${String(failed[0])}`)
}
