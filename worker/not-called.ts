import type { Pool } from 'pg'
import { pool } from '@/lib/db/client'
import { uncalledSentence } from '@/lib/domain/changes/uncalled'
import { explain, NOT_CALLED } from '@/lib/domain/errors'
import { MACHINE_STATES, type MachineRow } from '@/lib/domain/rows'
import { OPEN_SQL } from '@/lib/services/changes/states'

/** What Cluster API says alike whether an updater failed or nobody was called. */
const CALL_FAILED = 'in-place-hook-failed'
const FACTS = { api: 'cluster.x-k8s.io', infrastructure: null, reason: null, message: '' }
const FAILED = {
  ...{ ...FACTS, condition: 'Updating', reason: 'InPlaceUpdateFailed' },
  message: 'UpdateMachine hook failed: please check controller logs for errors',
}
const { entry, words } = explain({ ...FACTS, condition: NOT_CALLED })!

/**
 * Machines that a change updates in place through the gate, of which no updater has said that it failed, and whose last call the gate
 * did not refuse. By the newest change that began with each: the gate writes what an updater says before Cluster API hears it.
 */
const UNSAID = `
SELECT m.id FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) AS m (id, kind, namespace, name, machine)
LEFT JOIN LATERAL (
  SELECT p.change_id, p.state, p.updater FROM machine_progress p JOIN change c ON c.id = p.change_id
  WHERE p.machine_id = m.id AND p.started_at IS NOT NULL ORDER BY c.detected_at DESC LIMIT 1
) AS last ON true
WHERE (last.state = 'failed' AND last.updater IS NOT NULL) IS NOT TRUE AND (
  SELECT k.answer FROM gate_call k WHERE k.cluster_id = $1 AND k."group" = m.namespace || '/' || m.name AND k.hook = 'UpdateMachine'
    AND k.machine = m.machine ORDER BY k.last_at DESC LIMIT 1
) IN ('failed', 'held') IS NOT TRUE AND EXISTS (
  SELECT 1 FROM change c JOIN decision d ON d.change_id = c.id
  WHERE d.mode = 'in-place' AND d.sent_at IS NOT NULL AND (c.id = last.change_id OR (c.cluster_id = $1 AND c.group_kind = m.kind
    AND c.namespace = m.namespace AND c.group_name = m.name AND c.state IN (${OPEN_SQL}))))`

/** Cluster API says that a machine failed also where it reached nobody: where the gate knows better, it is still being updated. */
export async function asTheGateKnows(pool: Pool, clusterId: string, rows: MachineRow[]): Promise<MachineRow[]> {
  const failed = rows.filter(({ trouble, groupName }) => trouble === CALL_FAILED && groupName !== null)
  if (failed.length === 0) return rows
  const column = <K extends keyof MachineRow>(key: K) => failed.map((row) => row[key])
  const found = await pool.query<{ id: string }>(UNSAID, [
    ...[clusterId, column('id'), column('groupKind'), column('namespace'), column('groupName'), column('name')],
  ])
  const unsaid = new Set(found.rows.map(({ id }) => id))
  return rows.map((row) => (unsaid.has(row.id) && row.trouble === CALL_FAILED ? uncalled(row) : row))
}

function uncalled(row: MachineRow): MachineRow {
  const [, paused = ''] = /( Paused: [^.]+\.)$/.exec(row.sentence) ?? []
  return {
    ...{ ...row, state: 'updating', severity: MACHINE_STATES.updating, error: null },
    ...{ trouble: entry.id, troubleWords: words },
    sentence: `${uncalledSentence(row.version, words)}${paused}`,
  }
}

const SAID = `
UPDATE machine SET state = 'failed', severity = ${MACHINE_STATES.failed}, error = $2, trouble = $3, trouble_words = $4,
  sentence = 'The in-place update' || coalesce(' to ' || version, '') || ' failed: ' || $4 || '.', changed_at = now()
WHERE id = $1 AND trouble = $5`

/** Its updater said that it failed, after calls that came to nobody: Cluster API writes nothing new for that. */
export async function saidToFail(machineId: string): Promise<boolean> {
  const set = [FAILED.message, CALL_FAILED, explain(FAILED)!.words, entry.id]
  const { rowCount } = await pool().query(SAID, [machineId, ...set])
  return (rowCount ?? 0) > 0
}
