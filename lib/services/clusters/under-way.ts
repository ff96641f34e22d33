import { pool } from '@/lib/db/client'
import { namedIn } from '@/lib/kubernetes/paths'
import { LETS_GO_SQL, UNDER_WAY } from '../changes/states'
import { closedNow } from './closed-now'

/** What becomes of a rollout that is under way, without the gate, or without Drydock; `nothing`: it moves already, and goes on. */
export type WithoutGate = 'nothing' | 'in-place' | 'held-by-gate' | 'steps' | 'holding'

interface Row {
  id: string
  group: string
  kind: string
  namespace: string
  name: string
  /** Of what was let go. */
  digest: string
  mode: string | null
  /** The gate's newest answer to a question about it. */
  answer: string | null
  steps: boolean
  /** It is to stand still, and is not held yet. */
  holding: boolean
  /** For people, and not under way. */
  waits: boolean
  /** Every machine had it when a worker last looked. */
  settles: boolean
  updating: boolean
  replacing: boolean
}

const LOOK = `
SELECT c.id::text AS id, c.group_id::text AS "group", c.group_kind AS kind, c.namespace, c.group_name AS name, c.digest, c.steps IS NOT NULL AS steps,
  (c.paused_at IS NOT NULL OR c.stopped_at IS NOT NULL OR c.step_waits_at IS NOT NULL OR c.paused_until_held
    OR coalesce(newest.awaits_time, false) OR c.state IN ('waiting', 'rejected')
    -- By that word nothing more begins, whatever let it go before.
    OR (c.settling AND c.counted_done_at > coalesce(newest.recorded_at, '-infinity'))) AS holding,
  c.state IN ('waiting', 'rejected') AS waits, c.settling AS settles,
  newest.mode,
  (SELECT answer FROM gate_call WHERE change_id = c.id AND hook LIKE 'CanUpdate%' ORDER BY last_at DESC LIMIT 1) AS answer,
  EXISTS (SELECT 1 FROM machine_progress WHERE change_id = c.id AND state = 'updating') AS updating,
  EXISTS (SELECT 1 FROM machine_progress WHERE change_id = c.id
    -- What went by itself, or before it was held, replaces nothing.
    AND (state = 'created' OR (state IN ('deleting', 'deleted') AND started_at IS NOT NULL))) AS replacing
FROM change c LEFT JOIN LATERAL (
  SELECT d.mode, d.awaits_time, d.recorded_at FROM decision d WHERE d.change_id = c.id AND ${LETS_GO_SQL} ORDER BY d.recorded_at DESC LIMIT 1
) AS newest ON true
WHERE c.cluster_id = $1 AND (
  -- Of what settles nothing is left to go; to hold, where machines of before are there again.
  c.state = ANY($2) AND (NOT c.settling OR NOT $3)
  -- Whoever finds it free without a gate finds its hold taken away: it is put back, or on record as let go.
  OR NOT $3 AND c.state IN ('waiting', 'rejected') AND c.held_by = 'latch'
    AND EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id AND g.cluster_id = c.cluster_id AND g.governed))`

export interface UnderWay {
  without: WithoutGate
  kind: string
  /** As it is named where groups are listed. */
  named: string
  digest: string
  waits: boolean
  settles: boolean
}

/**
 * Rollouts under way, by the uid of their group. What is not known to replace anyway depends on the gate. `gated`: there is one, and
 * it is asked about them; else they depend on what Drydock itself is to hold, and so does what waits by its hold, where that is gone.
 */
export async function underWay(clusterId: string, gated = true): Promise<Map<string, UnderWay>> {
  const { rows } = await pool().query<Row>(LOOK, [clusterId, UNDER_WAY, gated])
  // Only what was decided here is held to its times.
  const closed = await closedNow(
    rows.flatMap((row) => (row.mode !== null && without(row, gated) === 'nothing' ? [row.id] : [])),
  )
  return new Map(
    rows.map((row) => [
      row.group,
      {
        without: without({ ...row, holding: row.holding || closed.has(row.id) }, gated),
        ...{ kind: row.kind, named: `${row.kind} ${namedIn(row.namespace, row.name)}` },
        ...{ digest: row.digest, waits: row.waits, settles: row.settles },
      },
    ]),
  )
}

type Facts = Pick<Row, 'mode' | 'answer' | 'steps' | 'holding' | 'updating' | 'replacing'>

export function without({ mode, answer, steps, holding, updating, replacing }: Facts, gated: boolean): WithoutGate {
  if (gated && (mode === 'in-place' || updating)) return 'in-place'
  if (holding) return 'holding'
  if (gated && (answer === 'held' || answer === 'failed')) return 'held-by-gate'
  if (steps) return 'steps'
  return !gated || mode === 'replace' || replacing ? 'nothing' : 'held-by-gate'
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
  'Somebody paused it in the middle of its update, and nothing of Drydock’s holds it: once that pause is taken away, without Drydock, more of it moves than was approved here.'

/** `paused`: by somebody, and Drydock does not hold it. */
export const movesWords = (without: Exclude<WithoutGate, 'nothing'>, paused: boolean): string =>
  !paused ? WORDS[without] : without === 'in-place' ? PAUSED_IN_PLACE : PAUSED
