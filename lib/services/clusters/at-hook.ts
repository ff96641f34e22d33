import { pool } from '@/lib/db/client'
import type { ManagementCluster } from '@/lib/db/generated/client'
import { namedIn } from '@/lib/kubernetes/paths'
import { log } from '@/lib/log'
import { inspectLatch } from '../latch/inspect'
import { surelyLatched } from '../upgrades/lifecycle'
import type { Moves } from './what-moves'

interface Row {
  kind: string
  namespace: string
  name: string
  /** Of what is wanted with the version. */
  digest: string
  governed: boolean
  strategy: string | null
}

const LOOK = `
SELECT c.group_kind AS kind, c.namespace, c.group_name AS name, c.digest, g.governed, g.strategy
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.cluster_id = $1 AND c.state IN ('waiting', 'rejected') AND c.held_by = 'hook' AND g.held IS NULL
ORDER BY c.namespace, c.group_name`

const WHY =
  'Only a hook of Cluster API keeps the version of its Cluster from it: without the gate it gets that and rolls.'

/**
 * Groups that wait at a hook with the version of their Cluster: nobody asks any more without the gate, so they get it. Where a latch
 * stands in the API server it pauses them in that write (`held`); Drydock, which pauses where none does, is gone by then.
 */
export async function atHook(
  clusterId: string,
  { latchForm }: Pick<ManagementCluster, 'latchForm'>,
): Promise<{ held: string[]; moves: Moves[] }> {
  const { rows } = await pool().query<Row>(LOOK, [clusterId])
  const stands = rows.some(({ governed }) => governed) && (await latchStands(clusterId, latchForm))
  const named = ({ kind, namespace, name }: Row) => `${kind} ${namedIn(namespace, name)}`
  const isHeld = ({ governed }: Row) => governed && stands
  return {
    held: rows.filter(isHeld).map(named),
    // With OnDelete nothing goes before somebody deletes it.
    moves: rows
      .filter((row) => !isHeld(row) && row.strategy !== 'OnDelete')
      .map((row) => ({ group: named(row), digest: row.digest, why: WHY })),
  }
}

/** Asked of the API server: what is on record is as old as the last look. One that cannot be looked at does not stand. */
async function latchStands(clusterId: string, latchForm: string): Promise<boolean> {
  if (latchForm === 'none' || latchForm === 'watch') return false
  try {
    const { status, target } = await inspectLatch(clusterId)
    // Where nobody chose any group, a latch that is whole holds none.
    return target.governance.governs !== 'none' && surelyLatched(status)
  } catch (error) {
    log().warn({ err: error, cluster: clusterId }, 'whether its latch stands could not be asked: it counts as if not')
    return false
  }
}
