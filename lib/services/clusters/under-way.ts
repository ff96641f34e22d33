import { pool } from '@/lib/db/client'
import { LETS_GO_SQL, UNDER_WAY } from '../changes/states'
import { closedNow } from './closed-now'

/** What becomes of a rollout that is under way, without the gate; `nothing`: it replaces already, and goes on. */
export type WithoutGate = 'nothing' | 'in-place' | 'held-by-gate' | 'steps' | 'holding'

interface Row {
  id: string
  group: string
  /** Of what was let go. */
  digest: string
  mode: string | null
  /** The gate's newest answer to a question about it. */
  answer: string | null
  steps: boolean
  /** It is to stand still, and is not held yet. */
  holding: boolean
  updating: boolean
  replacing: boolean
}

const LOOK = `
SELECT c.id::text AS id, c.group_id::text AS "group", c.digest, c.steps IS NOT NULL AS steps,
  (c.paused_at IS NOT NULL OR c.stopped_at IS NOT NULL OR c.step_waits_at IS NOT NULL OR c.paused_until_held
    OR coalesce(newest.awaits_time, false)) AS holding,
  newest.mode,
  (SELECT answer FROM gate_call WHERE change_id = c.id AND hook LIKE 'CanUpdate%' ORDER BY last_at DESC LIMIT 1) AS answer,
  EXISTS (SELECT 1 FROM machine_progress WHERE change_id = c.id AND state = 'updating') AS updating,
  EXISTS (SELECT 1 FROM machine_progress WHERE change_id = c.id
    -- What went by itself, or before it was held, replaces nothing.
    AND (state = 'created' OR (state IN ('deleting', 'deleted') AND started_at IS NOT NULL))) AS replacing
FROM change c LEFT JOIN LATERAL (
  SELECT d.mode, d.awaits_time FROM decision d WHERE d.change_id = c.id AND ${LETS_GO_SQL} ORDER BY d.recorded_at DESC LIMIT 1
) AS newest ON true
-- Of what settles nothing is left to go, or to hold.
WHERE c.cluster_id = $1 AND c.state = ANY($2) AND NOT c.settling`

/** Rollouts under way, by the uid of their group. What is not known to replace anyway depends on the gate. */
export async function underWay(clusterId: string): Promise<Map<string, { without: WithoutGate; digest: string }>> {
  const { rows } = await pool().query<Row>(LOOK, [clusterId, UNDER_WAY])
  // Only what was decided here is held to its times.
  const closed = await closedNow(
    rows.flatMap((row) => (row.mode !== null && without(row) === 'nothing' ? [row.id] : [])),
  )
  return new Map(
    rows.map((row) => [
      row.group,
      { without: without({ ...row, holding: row.holding || closed.has(row.id) }), digest: row.digest },
    ]),
  )
}

export function without({
  mode,
  answer,
  steps,
  holding,
  updating,
  replacing,
}: Omit<Row, 'id' | 'group' | 'digest'>): WithoutGate {
  if (mode === 'in-place' || updating) return 'in-place'
  if (holding) return 'holding'
  if (answer === 'held' || answer === 'failed') return 'held-by-gate'
  if (steps) return 'steps'
  return mode === 'replace' || replacing ? 'nothing' : 'held-by-gate'
}

const WAYS_OUT = 'Let it finish, pause it, or reject what is left.'
const WORDS: Record<Exclude<WithoutGate, 'nothing'>, string> = {
  'in-place': `It is being updated in place: without the gate what is left of it is replaced, and updates in place stop half-way. ${WAYS_OUT}`,
  'held-by-gate': 'Only the gate’s answers hold what is left of it: without them its machines are replaced.',
  steps: `It goes machine by machine: without Drydock nothing stops it behind the next one. ${WAYS_OUT}`,
  holding: 'It is to stand still, and is not held yet: without Drydock nobody holds it. Wait until it is.',
}
const PAUSED_IN_PLACE =
  'Somebody paused it in the middle of its update in place: once that pause is taken away, without the gate, what is left of it is replaced, and updates in place stop half-way. Have it taken away and let it finish, or reject what is left.'
const PAUSED =
  'Somebody paused it in the middle of its update, and nothing of Drydock’s holds it: once that pause is taken away, without the gate, more of it moves than was approved here.'

/** `paused`: by somebody, and Drydock does not hold it. */
export const movesWords = (without: Exclude<WithoutGate, 'nothing'>, paused: boolean): string =>
  !paused ? WORDS[without] : without === 'in-place' ? PAUSED_IN_PLACE : PAUSED
