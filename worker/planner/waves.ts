import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { runsNow } from '@/lib/services/waves/runs'
import { tryRuns } from '@/lib/services/waves/words'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { keptMembership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import type { ClusterView } from '../types'
import { owned } from './common'

/**
 * What people said of a run ends an hour after it: the next time that the same is wanted, they are asked anew. Not while anything
 * is open that was in it, also where for a moment it is in no run: its policy is being written, or labels are not known.
 */
const OVER = `
UPDATE wave_word SET ended_at = now() WHERE ended_at IS NULL AND at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM unnest($1::uuid[], $2::text[]) AS run (policy, wish)
    WHERE run.policy = wave_word.policy_id AND run.wish = wave_word.wish)
  AND NOT EXISTS (SELECT 1 FROM change WHERE change.wish = wave_word.wish
    AND (state IN (${OPEN_SQL}) AND wave->>'policyId' = wave_word.policy_id::text OR finished_at > now() - interval '1 hour'))`

/** For good, once it is seen; by the policy as it is now, and not by one that was read before somebody spoke. */
const LAPSED = `
UPDATE wave_word SET lapsed_at = now() FROM unnest($1::uuid[], $2::int[]) AS found (id, version), rollout_policy AS policy
WHERE wave_word.id = found.id AND lapsed_at IS NULL AND policy.id = wave_word.policy_id AND policy.version = found.version`

/** So many runs at once: each of them is locked. */
const AT_ONCE = 100

/**
 * Says of each change of this cluster in which wave of its policy it is, and whether that is open: by all clusters together.
 * One that nobody has placed yet waits.
 */
export async function placeInWaves({ clusterId, fence }: ClusterView): Promise<void> {
  const runs = await runsNow(db(), keptMembership)
  const [policies, wishes] = [runs.map(({ policy }) => policy.id), runs.map(({ wish }) => wish)]
  await db().$executeRawUnsafe(OVER, policies, wishes)
  const lapsed = runs.flatMap(({ said, policy }) => said.lapsed.map(({ id }) => ({ id, version: policy.version })))
  if (lapsed.length > 0) {
    const [ids, versions] = [lapsed.map(({ id }) => id), lapsed.map(({ version }) => version)]
    await db().$executeRawUnsafe(LAPSED, ids, versions)
  }
  const wrong = runs.flatMap((run) => {
    const found = misplaced(run, clusterId)
    return found.length > 0 ? [{ policyId: run.policy.id, wish: run.wish, found }] : []
  })
  for (let i = 0; i < wrong.length; i += AT_ONCE) {
    const some = wrong.slice(i, i + AT_ONCE)
    await db().$transaction(async (tx) => {
      const free = await tryRuns(tx, some)
      const found = free.flatMap((run) => run.found)
      if (found.length === 0) return
      await owned(tx, { clusterId, fence })
      const rows = await writePlaces(tx, found)
      if (rows.length > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: rows.map(({ id }) => id) })
    })
  }
}
