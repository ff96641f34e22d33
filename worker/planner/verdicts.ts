import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { MOVED } from '@/lib/providers/cluster-api'
import { ownedSql } from '../owned'
import type { Verdict } from '@/lib/domain/verdict'

export interface GroupKey {
  clusterId: string
  kind: string
  namespace: string
  name: string
}

/** Of a group that this worker follows, by its lease of the cluster. */
export interface OwnedGroup extends GroupKey {
  fence: bigint
}

const WANTED = `
  SELECT x.id, coalesce(v.verdict, CASE WHEN starts_with(x.sentence, $9) OR $8 AND (x.updating OR (x.ready AND x.up_to_date IS FALSE)) THEN 'in-place' ELSE 'up-to-date' END) AS verdict,
    v.reason
  FROM machine x LEFT JOIN unnest($5::text[], $6::text[], $7::text[]) AS v(source, verdict, reason)
    ON v.source = CASE WHEN x.group_kind = 'MachineDeployment' THEN x.machine_set ELSE x.name END
  WHERE x.cluster_id = $1 AND x.group_kind = $2 AND x.namespace = $3 AND x.group_name = $4`
const IS_NEWS = 'm.id = w.id AND (m.verdict, m.verdict_reason) IS DISTINCT FROM (w.verdict, w.reason)'

const VERDICTS = `
UPDATE machine m SET verdict = w.verdict, verdict_reason = w.reason FROM (${WANTED}) w
WHERE ${IS_NEWS} AND ${ownedSql('$1', '$10', `SELECT 1 FROM machine m, (${WANTED}) w WHERE ${IS_NEWS}`)}
RETURNING m.id`

/**
 * Writes what a change would do to each machine of a group; machines that it does not touch are up to date. One that was chosen, and is
 * out of service until its group goes on, is not. `moving`: the
 * group is looked at again soon, so that those which are being updated, or were and are not what is wanted, can be told apart.
 */
export async function writeVerdicts(
  group: OwnedGroup,
  verdicts: ReadonlyMap<string, { verdict: Verdict; reason: string }>,
  moving = false,
): Promise<void> {
  const list = [...verdicts]
  const { rows } = await pool().query<{ id: string }>(VERDICTS, [
    group.clusterId,
    group.kind,
    group.namespace,
    group.name,
    list.map(([from]) => from),
    list.map(([, v]) => v.verdict),
    list.map(([, v]) => v.reason),
    moving,
    MOVED,
    group.fence,
  ])
  if (rows.length === 0) return
  const ids = rows.length <= 50 ? { ids: rows.map((row) => row.id) } : {}
  await announce(pool(), { topic: 'machines', cluster: group.clusterId, ...ids })
}
