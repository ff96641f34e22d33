import type { Tx } from '@/lib/db/client'
import { movedNobodySql } from '@/lib/db/queries/moves-nobody'
import type { PolicyGroup } from '@/lib/domain/policies'
import type { Absent, LastWord } from '@/lib/domain/waves'
import { isAgainstSql } from '../changes/against'
import { beganSql, OPEN_SQL } from '../changes/states'
import { speaksItself, type Newest } from './newest'

/** The last word of one group about one wish, whether it is there or not. */
export interface GroupWord extends LastWord {
  groupId: string
  /** Of one that is not known to be there, how policies see it, but for its labels. */
  group: (Omit<PolicyGroup, 'labels'> & { clusterId: string }) | null
  /** Of what was never through, the newest change. */
  changeId: string
  /** Since when it was wanted, the first of it; and when the newest of it was found. */
  wanted: number
  detected: number
  /** What is known where its group is not. */
  absent: Absent
}

/**
 * Of each group and wish the newest change that was through, and all after it that is open, had begun, or was left with its cluster.
 * By the uid of the group alone: connected again under another name, its cluster is another one here. Not what a newest change
 * says itself (the pairs of $2 and $3; $4 are those that are known to be there).
 */
const WORDS = `
WITH one AS MATERIALIZED (
  SELECT id, wish, detected_at, state, left_after, coalesce(settled_at, finished_at) AS at, state = 'done' OR settled_at IS NOT NULL AS through,
    max(detected_at) FILTER (WHERE state = 'done' OR settled_at IS NOT NULL) OVER (PARTITION BY group_id, wish) AS through_at
  FROM change WHERE wish = ANY($1::text[])
    AND NOT EXISTS (SELECT 1 FROM unnest($2::uuid[], $3::text[]) AS told (id, wish) WHERE told.id = change.group_id AND told.wish = change.wish))
SELECT c.id::text AS id, c.group_id::text AS "groupId", c.wish, c.wish_exact AS exact, one.through, c.detected_at AS detected, coalesce(c.wished_at, c.detected_at) AS wanted,
  CASE WHEN one.state NOT IN (${OPEN_SQL}) THEN coalesce(c.settled_at, c.finished_at, c.detected_at) END AS over,
  CASE WHEN NOT one.through THEN jsonb_build_object('begun', ${beganSql('c')}, 'stopped', c.stopped_at IS NOT NULL OR ${isAgainstSql('c')},
    'left', coalesce(c.left_after IS NOT NULL OR c.finished_at <= (SELECT max(a.at) FROM audit_event a WHERE a.target_kind = 'ManagementCluster'
      AND a.target_id = c.cluster_id::text AND a.action = 'cluster.disconnected' AND a.result = 'ok'), false),
    'doneAfter', (SELECT floor(extract(epoch FROM max(n.finished_at)) * 1000) FROM change n
      WHERE n.group_id = c.group_id AND n.state = 'done' AND n.detected_at > c.detected_at)) END AS unfinished,
  CASE WHEN here.id IS NULL THEN jsonb_build_object('clusterId', c.cluster_id, 'cluster', k.name, 'workloadCluster', c.workload_cluster,
    'kind', c.group_kind, 'namespace', c.namespace, 'name', c.group_name) END AS group,
  CASE WHEN g.id IS NOT NULL THEN 'coming' WHEN k.state = 'disconnected' THEN 'away'
    WHEN k.state = 'connected' AND EXISTS (SELECT 1 FROM stream s WHERE s.cluster_id = c.cluster_id AND s.state = 'watching'
      AND starts_with(s.resource, lower(c.group_kind) || 's.')) THEN 'gone' ELSE 'coming' END AS absent,
  ${movedNobodySql('c')} AS unmoved,
  coalesce(one.through AND c.wish LIKE 'version %' AND g.id IS NULL AND (SELECT b.state IN ('superseded', 'reverted') AND b.settled_at IS NULL
      AND b.left_after IS NULL FROM change b WHERE b.group_id = c.group_id AND b.detected_at > c.detected_at AND ${beganSql('b')}
      ORDER BY b.detected_at DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM change n WHERE n.group_id = c.group_id AND n.detected_at > c.detected_at
      AND n.state = 'done' AND n.wish LIKE 'version %'), false) AS undone
FROM one JOIN unnest($1::text[], $5::timestamptz[]) AS of (wish, since) ON of.wish = one.wish JOIN change c ON c.id = one.id JOIN management_cluster k ON k.id = c.cluster_id LEFT JOIN machine_group g ON g.id = c.group_id
  LEFT JOIN unnest($4::uuid[]) AS here (id) ON here.id = c.group_id
WHERE (one.through AND one.detected_at = one.through_at AND (of.since IS NULL OR one.at >= of.since)) OR ((one.through_at IS NULL OR one.detected_at > one.through_at)
  AND (one.state IN (${OPEN_SQL}) OR one.left_after IS NOT NULL OR ${beganSql('one')}))
ORDER BY c.detected_at, c.id DESC`

interface Row extends Pick<GroupWord, 'groupId' | 'wish' | 'group' | 'absent'> {
  id: string
  exact: string | null
  through: boolean
  undone: boolean
  unmoved: boolean
  wanted: Date
  detected: Date
  /** Null: it is open. */
  over: Date | null
  unfinished: Omit<NonNullable<LastWord['unfinished']>, 'exact' | 'over'> | null
}

/**
 * By group. `wanted`: since when it matters that it was through with each; null: whenever that was. `newest`: groups that are known to
 * be there, with what their newest changes say themselves.
 */
export async function lastWords(
  tx: Tx,
  wanted: ReadonlyMap<string, Date | null>,
  newest: ReadonlyMap<string, Newest>,
): Promise<Map<string, GroupWord[]>> {
  if (wanted.size === 0) return new Map()
  const told = [...newest.values()].filter((row) => speaksItself(row) && wanted.has(row.wish!))
  const pairs = [told.map(({ groupId }) => groupId), told.map(({ wish }) => wish)]
  const rows = await tx.$queryRawUnsafe<Row[]>(
    WORDS,
    [...wanted.keys()],
    ...pairs,
    [...newest.keys()],
    [...wanted.values()],
  )
  const words = new Map<string, Map<string, GroupWord>>()
  for (const row of rows) {
    const mine = words.get(row.groupId) ?? new Map<string, GroupWord>()
    words.set(row.groupId, mine.set(row.wish, after(mine.get(row.wish), row)))
  }
  return new Map([...words].map(([id, mine]) => [id, [...mine.values()]]))
}

/** With one more change, a newer one. */
function after(before: GroupWord | undefined, row: Row): GroupWord {
  const { id: changeId, groupId, wish, exact, group, absent, undone, unmoved, unfinished: now } = row
  const [over, more] = [row.over?.getTime() ?? Infinity, before?.unfinished]
  return {
    ...{ groupId, wish, changeId, group, absent },
    detected: row.detected.getTime(),
    wanted: Math.min(row.wanted.getTime(), before?.wanted ?? Infinity),
    through: now ? (before?.through ?? null) : { at: over, exact, undone, unmoved },
    unfinished: now && {
      ...{ exact, over: Math.max(over, more?.over ?? 0), doneAfter: now.doneAfter },
      begun: now.begun || more?.begun === true,
      stopped: now.stopped || more?.stopped === true,
      left: now.left || more?.left === true,
    },
  }
}
