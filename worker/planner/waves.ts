import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { tryRuns } from '@/lib/services/waves/words'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import type { ClusterView } from '../types'
import { owned } from './common'
import { keptRuns } from './kept-runs'

/** So many runs at once: each of them is locked. */
const AT_ONCE = 100

/**
 * Says of each change of this cluster in which wave of its policy it is, and whether that is open: by all clusters together.
 * One that nobody has placed yet waits.
 */
export async function placeInWaves({ clusterId, fence }: ClusterView, look = keptRuns): Promise<void> {
  const wrong = (await look()).flatMap((run) => {
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
