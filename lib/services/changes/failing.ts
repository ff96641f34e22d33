import type { Tx } from '@/lib/db/client'
import { REMEDIATE } from '@/lib/domain/health-checks'
import { durationOf, limitOf, type Resolved } from '@/lib/domain/policies'
import { NO_NODE } from '@/lib/providers/cluster-api'
import { ServiceError } from '../errors'
import { rulesFor, type Governed } from '../policies/rules-for'
import { wasPaused } from './their-pause'

/**
 * Machines that failed by now, of changes and how long each gives a machine to be Ready (null: for ever). What this change did
 * nothing to does not count: what was up to date before it, and what was there before and shows no trace of it. A new machine
 * has its time from when it was made, one that was updated from when Cluster API said so, and all of it again after a pause of its
 * whole Cluster, in which nothing goes on; where nobody knows whether a machine
 * with a node is Ready, it is not counted. What Drydock alone calls an error, a node that does not join, is a matter of time.
 * Of machines that were there before, what stood there before they began does not count, nor the error of the update before,
 * which Cluster API takes away a moment after the next one has begun. Whether a control plane machine with a node is Ready
 * is for its manager to say, which says nothing while it is paused; let go, it has a minute. Where an updater failed, its own
 * words say why: Cluster API has them in its log only. What its health check found ill is remediated only where its owner deletes it
 * (lib/domain/health-checks/fate.ts): with too many ill, nobody does.
 */
const FAILED = `
  SELECT p.change_id, p.machine_id, left(CASE
    WHEN "is".ill AND m.check_words LIKE '%${REMEDIATE}%' THEN 'somebody marked it to be remediated'
    WHEN "is".ill AND (m.deleting OR m.remediation_reason = 'MachineDeleting' OR (m.plane IS NULL AND m.remediation_reason = 'WaitingForRemediation'))
      THEN 'its health check failed, and it is remediated'
    WHEN "is".ill THEN 'its health check failed'
    WHEN "is".said THEN coalesce(CASE WHEN p.state = 'failed' AND p.updater IS NOT NULL THEN p.message END,
      nullif(m.trouble_words, ''), p.message, m.error, 'it failed')
    ELSE 'not Ready in time' END, 200) AS why
  FROM unnest($1::uuid[], $2::bigint[]) AS of (change_id, ready_ms)
  JOIN machine_progress p ON p.change_id = of.change_id
  JOIN change c ON c.id = of.change_id
  JOIN machine m ON m.id = p.machine_id
  CROSS JOIN LATERAL (SELECT min(started_at) AS at FROM machine_progress WHERE change_id = of.change_id) AS began
  CROSS JOIN LATERAL (SELECT now() - of.ready_ms * interval '1 millisecond' AS latest) AS may
  CROSS JOIN LATERAL (SELECT m.plane IS NOT NULL AND (EXISTS (SELECT 1 FROM machine_group g WHERE g.cluster_id = m.cluster_id
    AND g.kind = m.group_kind AND g.namespace = m.namespace AND g.name = m.group_name AND (g.held IS NOT NULL OR g.paused))
    OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = of.change_id AND d.accepted_at > now() - interval '1 minute')) AS it) AS silent
  CROSS JOIN LATERAL (SELECT
    m.check_failed_since IS NOT NULL AND (p.predicted IS NULL OR m.check_failed_since >= p.started_at) AS ill,
    CASE WHEN m.error IS NULL THEN p.state = 'failed' AND p.updater IS NOT NULL ELSE NOT starts_with(m.error, $3) END
      AND (p.predicted IS NULL OR p.started_at < now() - interval '10 seconds') AS said,
    NOT m.ready AND NOT m.updating AND (m.node IS NULL OR m.not_ready_since < may.latest AND NOT silent.it)
      AND coalesce(p.finished_at, CASE WHEN p.predicted IS NULL THEN m.created_at END) < may.latest
      AND NOT ${wasPaused('may.latest', 'now()')} AS late) AS "is"
  WHERE p.failed_at IS NULL AND p.started_at IS NOT NULL AND p.predicted IS DISTINCT FROM 'up-to-date'
    AND ("is".ill OR p.state NOT IN ('deleting', 'deleted'))
    AND (p.state = 'done' OR p.updater IS NOT NULL OR p.updaters_done <> '{}' OR (p.predicted IS NULL
      AND m.up_to_date IS DISTINCT FROM false AND m.created_at > began.at - interval '1 minute'))
    AND ("is".ill OR "is".said OR "is".late)`

/** Of nodes of a pool, whose own failures are marked where they are followed: not back in time after they took up what they were to. */
const FAILED_NODES = `
  SELECT p.change_id, p.machine_id, 'not available in time' AS why
  FROM unnest($1::uuid[], $2::bigint[]) AS of (change_id, ready_ms)
  JOIN machine_progress p ON p.change_id = of.change_id
  JOIN config_node n ON n.id = p.machine_id
  WHERE n.unavailable AND p.failed_at IS NULL AND p.started_at IS NOT NULL
    AND p.state = 'done' AND p.ready_at IS NULL AND p.finished_at < now() - of.ready_ms * interval '1 millisecond'`

const marking = (failed: string): string => `
UPDATE machine_progress target SET failed_at = clock_timestamp(), failed_why = found.why
FROM (${failed} ORDER BY p.change_id, p.machine_id FOR UPDATE OF p) AS found
WHERE target.change_id = found.change_id AND target.machine_id = found.machine_id AND target.failed_at IS NULL`
const [MARK, MARK_NODES] = [marking(FAILED), marking(FAILED_NODES)]

const COUNT = `
SELECT c.id, count(*)::int AS failed FROM change c JOIN machine_progress p ON p.change_id = c.id
WHERE c.id = ANY($1::uuid[]) AND p.failed_at > coalesce(c.failures_from, '-infinity') GROUP BY c.id`
const countUnmarked = (failed: string): string =>
  `SELECT f.change_id AS id, count(*)::int AS failed FROM (${failed}) f GROUP BY f.change_id`

export interface Limited {
  id: string
  machines: number
  rules: Pick<Resolved, 'stopsAt' | 'readyWithin'>
}

/** Marks what failed by now. Once and for good: whatever becomes of a machine, it failed in this change. */
export async function markFailed(tx: Tx, changes: readonly Limited[]): Promise<void> {
  const of = asked(changes)
  await tx.$executeRawUnsafe(MARK, ...of, NO_NODE)
  await tx.$executeRawUnsafe(MARK_NODES, ...of)
}
const asked = (changes: readonly Limited[]): [string[], (number | null)[]] => [
  changes.map(({ id }) => id),
  changes.map(({ rules }) => durationOf(rules.readyWithin.value)),
]

/** Of these changes, those of which so many machines failed by now that they are to stop. */
export async function overLimit<C extends Limited>(tx: Tx, changes: readonly C[]): Promise<C[]> {
  const limited = changes.filter(({ rules }) => rules.stopsAt.value !== 'never')
  if (limited.length === 0) return []
  await markFailed(tx, limited)
  return over(limited, await marked(tx, limited))
}

/** The same, also by what would be marked now; nothing is written. */
export async function overLimitByNow<C extends Limited>(tx: Tx, changes: readonly C[]): Promise<C[]> {
  const limited = changes.filter(({ rules }) => rules.stopsAt.value !== 'never')
  if (limited.length === 0) return []
  const of = asked(limited)
  const unmarked = [
    ...(await tx.$queryRawUnsafe<Count[]>(countUnmarked(FAILED), ...of, NO_NODE)),
    ...(await tx.$queryRawUnsafe<Count[]>(countUnmarked(FAILED_NODES), ...of)),
  ]
  return over(limited, [...(await marked(tx, limited)), ...unmarked])
}

interface Count {
  id: string
  failed: number
}
const marked = (tx: Tx, changes: readonly Limited[]): Promise<Count[]> =>
  tx.$queryRawUnsafe(
    COUNT,
    changes.map(({ id }) => id),
  )

function over<C extends Limited>(changes: readonly C[], counts: readonly Count[]): C[] {
  const failed = new Map<string, number>()
  for (const { id, failed: n } of counts) failed.set(id, (failed.get(id) ?? 0) + n)
  return changes.filter(({ id, machines, rules }) => {
    const limit = limitOf(rules.stopsAt.value, machines)
    return limit !== null && (failed.get(id) ?? 0) >= limit
  })
}

/** What failed so far, also what nobody has looked at yet, does not count any more: by the database's clock. Returns which machines counted. */
export async function forgiveFailures(tx: Tx, change: Governed & { id: string; machines: number }): Promise<string[]> {
  const rules = await rulesFor(tx, change).catch((error: unknown) => {
    // What cannot be known keeps nobody from deciding.
    if (error instanceof ServiceError) return null
    throw error
  })
  if (rules) await markFailed(tx, [{ ...change, rules }])
  const rows = await tx.$queryRaw<{ name: string }[]>`
    SELECT p.machine_name AS name FROM machine_progress p JOIN change c ON c.id = p.change_id
    WHERE c.id = ${change.id}::uuid AND p.failed_at > coalesce(c.failures_from, '-infinity') ORDER BY p.failed_at, p.machine_name`
  await tx.$executeRaw`UPDATE change SET failures_from = clock_timestamp() WHERE id = ${change.id}::uuid`
  return rows.map(({ name }) => name)
}
