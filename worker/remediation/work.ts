import { pool } from '@/lib/db/client'
import { ownedSql } from '../owned'
import type { Owning } from '../planner/common'
import { IS_OF, OF_CHANGE, TO_KEEP, TO_SKIP } from '@/lib/services/remediation/wanted'

/** A machine to write to, for the change that asks for it; of what is restored, the one that its mark names. */
export interface Work {
  machineId: string
  namespace: string
  name: string
  changeId: string
}

const FIELDS = 'm.id AS "machineId", m.namespace, m.name'

/**
 * What somebody else set is left alone, and what was set once is not set again, but where Drydock itself was to leave, and did not: of
 * all that are over, only changes of which that may be so are looked at.
 */
const SKIP = `
SELECT ${FIELDS}, c.id AS "changeId" FROM ${OF_CHANGE}
LEFT JOIN remediation_skip s ON s.change_id = c.id AND s.machine_id = m.id
WHERE c.cluster_id = $1::uuid AND m.skip_mark IS DISTINCT FROM c.id::text AND NOT (m.skip_remediation AND m.skip_mark IS NULL)
  AND (c.finished_at IS NULL OR EXISTS (SELECT 1 FROM remediation_skip left_to WHERE left_to.change_id = c.id AND left_to.state IN ('setting', 'taken')))
  AND (${TO_SKIP} AND s.state IS NULL OR ${TO_KEEP} AND s.state IN ('setting', 'taken'))
ORDER BY 'skip ' || c.id = ANY($3), m.updating DESC, c.id, m.name LIMIT $2`

/** By the mark of each machine: whatever planners know of how many there are, each costs one look at its change. */
const RESTORE = `
SELECT ${FIELDS}, m.skip_mark AS "changeId" FROM machine m
WHERE m.cluster_id = $1::uuid AND m.skip_mark IS NOT NULL AND NOT m.deleting
  AND NOT EXISTS (SELECT 1 FROM change c LEFT JOIN machine_progress p ON p.change_id = c.id AND p.machine_id = m.id
    WHERE c.cluster_id = $1::uuid AND c.id::text = m.skip_mark AND ${IS_OF} AND ${TO_KEEP})
ORDER BY 'restore ' || m.skip_mark = ANY($3), m.skip_mark, m.name LIMIT $2`

/** Of thousands that begin at once, so many in a round; first those that were not refused a moment ago. */
const AT_ONCE = 200

const rows = async (sql: string, clusterId: string, refused: readonly string[]): Promise<Work[]> =>
  (await pool().query<Work>(sql, [clusterId, AT_ONCE, refused])).rows

/** Set, and nobody heard the answer: whoever takes it away from now on is not fought. */
const IS_SEEN = `s.state = 'setting' AND m.id = s.machine_id AND m.cluster_id = $1::uuid AND m.skip_mark = s.change_id::text`
const SEEN = `
UPDATE remediation_skip s SET state = 'set' FROM machine m
WHERE ${IS_SEEN} AND ${ownedSql('$1', '$2', `SELECT 1 FROM remediation_skip s, machine m WHERE ${IS_SEEN}`)}`

/**
 * What is to be written now: where nobody asked for anything and nothing bears a mark, that costs a look at two indexes. `refused`: what
 * was, and for which changes (worker/remediation/skip.ts).
 */
export async function workOf(
  { clusterId, fence }: Owning,
  refused: readonly string[],
): Promise<{ skip: Work[]; restore: Work[] }> {
  await pool().query(SEEN, [clusterId, fence])
  const skip = await rows(SKIP, clusterId, refused)
  const taken = new Set(skip.map(({ machineId }) => machineId))
  // One that another change wants goes over to it.
  return { skip, restore: (await rows(RESTORE, clusterId, refused)).filter(({ machineId }) => !taken.has(machineId)) }
}

const STANDS = `
SELECT EXISTS (SELECT 1 FROM ${OF_CHANGE}
    WHERE c.cluster_id = $1::uuid AND c.id::text = $3 AND m.id = $2::uuid AND ${TO_KEEP}) AS kept,
  EXISTS (SELECT 1 FROM management_cluster k WHERE k.id = $1::uuid AND k.state = 'disconnected') AS "left",
  EXISTS (SELECT 1 FROM machine_progress p WHERE p.machine_id = $2::uuid AND p.change_id::text = $3 AND p.state = 'done') AS through`

/** Of one mark: whether it is to stay, whether its cluster is being left, and whether its machine was updated. */
export interface Stands {
  kept: boolean
  left: boolean
  through: boolean
}

/** At one moment, right before it is taken away: what was listed may have waited for long, and be another one by now. */
export const standsNow = async (clusterId: string, machineId: string, mark: string): Promise<Stands> =>
  (await pool().query<Stands>(STANDS, [clusterId, machineId, mark])).rows[0]!
