import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { throughOf, type PlaneSaid, type StepMachine } from '@/lib/domain/control-plane'

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
}

const MACHINES = `
SELECT p.state, p.predicted, p.started_at IS NOT NULL AS started, m.id IS NOT NULL AS there, m.ready, m.up_to_date AS "upToDate",
  m.updating, m.deleting, m.plane AS said
FROM machine_progress p LEFT JOIN machine m ON m.id = p.machine_id WHERE p.change_id = $1::uuid`

/**
 * How many of a change's machines were dealt with by now. `early`: one that was made counts at once, before it is well
 * (worker/planner/steps.ts).
 */
export async function throughNow(tx: Tx, change: Pick<Change, 'id'>, early: boolean): Promise<number> {
  const rows = await tx.$queryRawUnsafe<Row[]>(MACHINES, change.id)
  return throughOf(rows.map((row) => stepOf(row, early)))
}

function stepOf({ state, predicted, started, said, ...is }: Row, early: boolean): StepMachine {
  const old = predicted !== null && predicted !== 'up-to-date'
  const out = !is.there || (is.deleting === true && said !== null && !said.hook)
  // Before it is Ready again, and its manager says that it is what is wanted, it is not through.
  const updated = started && state === 'done' && is.ready === true && is.upToDate === true && !is.updating
  const made = predicted === null && is.there && !is.deleting && (early || is.ready === true)
  return { old, out, through: old ? (updated ? 'updated' : null) : made ? 'made' : null }
}
