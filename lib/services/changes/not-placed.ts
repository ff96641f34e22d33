import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Resolved } from '@/lib/domain/policies'
import { timingOf, UNTIMED } from '../policies/timing'
import { stoppedWords } from '../waves/runs'
import { anyBegun } from './take-back'

/** By what its run is stopped, in part of a sentence, where the worker has not placed a change in it yet; null: by nothing. */
export async function stoppedUnplaced(
  tx: Tx,
  rules: Pick<Resolved, 'waves'>,
  { wish, wave }: Pick<Change, 'wish' | 'wave'>,
): Promise<string | null> {
  // No calendar is asked.
  const timing = timingOf({ waves: rules.waves }, { ...UNTIMED, wave }, new Date())
  if (wish === null || timing.open || timing.why !== 'wave' || timing.wave.place) return null
  const { id: policyId, name } = timing.wave.policy
  const stop = await tx.waveWord.findFirst({ where: { policyId, wish, what: 'stop', endedAt: null } })
  return stop && `in the waves of the policy ${name}; ${stoppedWords(stop.actorName, stop.reason)}`
}

/**
 * Whether the place of a change in its waves is as old as the last look of a worker that is away: what goes before it may have got
 * worse since. What has begun goes on all the same, and what somebody said need not wait.
 */
export async function isUnwatched(
  tx: Tx,
  { waves }: Pick<Resolved, 'waves'>,
  { id, clusterId, overrideAt }: Pick<Change, 'id' | 'clusterId' | 'overrideAt'>,
): Promise<boolean> {
  if (!waves || overrideAt) return false
  const [lease] = await tx.$queryRaw<{ over: boolean }[]>`
    SELECT until < now() AS over FROM cluster_lease WHERE cluster_id = ${clusterId}::uuid`
  return lease?.over === true && !(await anyBegun(tx, id))
}

export const UNWATCHED =
  'No worker of Drydock follows its management cluster, so nobody sees whether its wave is still open.'
