import type { Tx } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'

/** Of so many machines something was foretold, and so many fared as foretold. */
export interface Fidelity {
  foretold: number
  asForetold: number
}

/** Of a pool, a node that joined after it was approved: it takes it up as all others, and nobody was shown that. */
const JOINED = `(m.predicted = 'in-place'
  AND EXISTS (SELECT 1 FROM change c WHERE c.id = m.change_id AND c.group_kind = '${POOL}')
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = m.change_id AND d.mode <> 'reject'
    -- Of very many, not all are kept by name.
    AND (jsonb_array_length(d.plan->'moves') < (d.plan->>'moving')::int
      OR d.plan->'moves' @> jsonb_build_array(jsonb_build_object('machine', m.machine_name)))))`

const COMPARED = `
SELECT p.created AS planned,
  count(*) FILTER (WHERE m.state = 'created' AND m.started_at >= p.recorded_at)::int AS created,
  -- Counted as done, what was never up is accepted, and did not fare well by that.
  count(*) FILTER (WHERE m.state = 'created' AND m.started_at >= p.recorded_at
    AND (m.through_at IS NOT NULL OR m.failed_at IS NULL))::int AS well,
  -- Each of them fared otherwise; that another one was made for it is no second thing.
  count(*) FILTER (WHERE m.state IN ('deleting', 'deleted') AND m.ill_at IS NOT NULL)::int AS remediated,
  -- What had nothing to do and was left as it is pads no record; what moved all the same counts against it.
  count(*) FILTER (WHERE m.state <> 'created' AND m.predicted IS NOT NULL
    AND NOT (m.predicted = 'up-to-date' AND m.state IN ('done', 'waiting') AND m.started_at IS NULL))::int AS foretold,
  count(*) FILTER (WHERE CASE m.predicted
    WHEN 'in-place' THEN m.state = 'done' AND m.started_at IS NOT NULL AND m.failed_at IS NULL
    WHEN 'replace' THEN m.state = 'deleted'
    ELSE false END)::int AS as_foretold
FROM (
  -- When somebody first approved it: what moved before that was foretold by nobody.
  SELECT min(recorded_at) AS first FROM decision
  WHERE change_id = $1::uuid AND plan IS NOT NULL AND mode <> 'reject'
    AND (state IN ('accepted', 'seen') OR accepted_at IS NOT NULL)
) f CROSS JOIN (
  -- The newest: what was done before a stop was foretold by the one before, and stays with its machines. Of which nothing was
  -- foretold, nothing is held against one that foretold another way.
  SELECT change_id, recorded_at, (plan->>'created')::int
    -- What was coming already is not among what was created since.
    - coalesce((plan->>'createdBefore')::int, 0) AS created FROM decision
  WHERE change_id = $1::uuid AND mode <> 'reject'
    -- What its window stopped at the very end was approved all the same.
    AND (state IN ('accepted', 'seen') OR (awaits_time AND accepted_at IS NOT NULL))
  ORDER BY recorded_at DESC LIMIT 1
) p JOIN machine_progress m ON p.created IS NOT NULL AND m.change_id = p.change_id AND (m.started_at IS NULL OR m.started_at >= f.first)
  AND ${JOINED} IS NOT TRUE
GROUP BY p.created`

interface Row {
  planned: number
  created: number
  well: number
  remediated: number
  foretold: number
  as_foretold: number
}

/** What was foretold when it was approved, held against what happened. Null: nobody approved it, or nothing was foretold of any machine. */
export async function fidelityOf(tx: Tx, changeId: string): Promise<Fidelity | null> {
  const [row] = await tx.$queryRawUnsafe<Row[]>(COMPARED, changeId)
  if (!row) return null
  const { planned, remediated } = row
  const more = Math.max(0, row.created - planned)
  const created = row.created - Math.min(more, remediated)
  // New machines have no names before they are there: they are compared by number.
  const foretold = row.foretold + Math.max(planned, created)
  // Of a pool that had no node when it was approved, say: no record is better or worse by it.
  if (foretold === 0) return null
  return {
    foretold,
    asForetold: row.as_foretold + Math.min(planned, created, row.well) + (await swappedIn(tx, changeId)),
  }
}

/** Of machines of which any might have gone first: those that did, and those that stayed in their place. */
const SWAPPED = `
SELECT count(*) FILTER (WHERE m.predicted = 'in-place' AND m.state = 'deleted' AND m.ill_at IS NULL)::int AS went,
  count(*) FILTER (WHERE m.predicted = 'replace' AND m.state = 'done' AND m.started_at IS NOT NULL)::int AS stayed
FROM decision d CROSS JOIN LATERAL jsonb_array_elements(d.plan->'ties') WITH ORDINALITY AS t(names, place)
JOIN machine_progress m ON m.change_id = d.change_id AND t.names ? m.machine_name
WHERE d.change_id = $1::uuid AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL
  -- One that was stopped in the middle and approved again is among the ties of the newest alone.
  AND NOT EXISTS (SELECT 1 FROM decision n WHERE n.change_id = d.change_id AND n.recorded_at > d.recorded_at AND n.accepted_at IS NOT NULL
    AND n.plan->'ties' @> jsonb_build_array(jsonb_build_array(m.machine_name)))
GROUP BY d.id, t.place`

/** As many as went in the place of others fared as foretold, and so did those. */
async function swappedIn(tx: Tx, changeId: string): Promise<number> {
  const rows = await tx.$queryRawUnsafe<{ went: number; stayed: number }[]>(SWAPPED, changeId)
  return rows.reduce((sum, { went, stayed }) => sum + 2 * Math.min(went, stayed), 0)
}
