import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { sparesOf, throughOf, type PlaneSaid, type StepMachine } from '@/lib/domain/control-plane'

interface Row {
  state: string
  predicted: string | null
  started: boolean
  there: boolean
  ready: boolean | null
  upToDate: boolean | null
  updating: boolean | null
  deleting: boolean | null
  said: PlaneSaid | null
  /** It failed, and somebody said that the rollout goes on. */
  accepted: boolean | null
}

const NOW = 'm.ready, m.up_to_date AS "upToDate", m.updating, m.deleting, m.plane AS said'

/** Those on its record, and those that were made since it was let go: nobody has to have looked at a new one for it to count. */
const MACHINES = `
SELECT p.state, p.predicted, p.started_at IS NOT NULL AS started, m.id IS NOT NULL AS there, ${NOW}, p.failed_at <= c.failures_from AS accepted
FROM machine_progress p JOIN change c ON c.id = p.change_id LEFT JOIN machine m ON m.id = p.machine_id WHERE p.change_id = $1::uuid
UNION ALL SELECT 'created', NULL, true, true, ${NOW}, false
FROM machine m WHERE m.cluster_id = $2::uuid AND m.group_kind = $3 AND m.namespace = $4 AND m.group_name = $5
  AND m.created_at > (SELECT min(accepted_at) FROM decision WHERE change_id = $1::uuid) - interval '2 seconds'
  AND NOT EXISTS (SELECT 1 FROM machine_progress WHERE change_id = $1::uuid AND machine_id = m.id)`

type Of = Pick<Change, 'id' | 'clusterId' | 'groupKind' | 'namespace' | 'groupName'>

/**
 * How many of a change's machines were dealt with by now. `early`: one that was made counts at once, before it is well
 * (worker/planner/steps.ts).
 */
export const throughNow = async (tx: Tx, change: Of, early: boolean): Promise<number> =>
  throughOf(await machinesNow(tx, change, early))

/** The same, and how many spares there are. */
export async function stepsNow(tx: Tx, change: Of, early: boolean): Promise<{ through: number; spares: number }> {
  const machines = await machinesNow(tx, change, early)
  return { through: throughOf(machines), spares: sparesOf(machines) }
}

async function machinesNow(tx: Tx, change: Of, early: boolean): Promise<StepMachine[]> {
  const { id, clusterId, groupKind, namespace, groupName } = change
  const rows = await tx.$queryRawUnsafe<Row[]>(MACHINES, id, clusterId, groupKind, namespace, groupName)
  return rows.map((row) => stepOf(row, early))
}

function stepOf({ state, predicted, started, said, accepted, ...is }: Row, early: boolean): StepMachine {
  const old = predicted !== null && predicted !== 'up-to-date'
  const out = !is.there || (is.deleting === true && said !== null && !said.hook)
  // Before it is Ready again, or somebody accepted that it is not, and its manager says that it is what is wanted, it is not through.
  const ready = is.ready === true || accepted === true
  const updated = started && state === 'done' && ready && is.upToDate === true && !is.updating
  // Not one that was there before, and is what is wanted. One that failed for a moment may be on record as done, from before.
  const isNew = predicted === null && (state === 'created' || (started && state === 'done'))
  const made = isNew && is.there && !is.deleting && (early || is.ready === true)
  return { old, out, through: old ? (updated ? 'updated' : null) : made ? 'made' : null }
}
