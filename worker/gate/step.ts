import { db, gatePool } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { throughNow } from '@/lib/services/changes/steps'
import { Hold } from './constants'
import { machinesSeen } from './seen'

/**
 * The first machine that is asked about is the one of this step, whatever it is told, and no other one is let go before
 * somebody says so: in one statement, so that of two questions at once only one is answered. Where nothing came of an answer (the
 * manager could not write, and means another machine by now), the step is free again when its machines were seen a minute later: a
 * manager does nothing with an answer that is older. A machine that has begun is never passed over, whatever its row says by now.
 */
const CLAIM = `
UPDATE change c SET step_machine = $2, step_granted_at = now() WHERE id = $1 AND step_waits_at IS NULL AND (
  step_machine IS NULL OR step_machine = $2 OR (${machinesSeen('c.cluster_id', "c.step_granted_at + interval '1 minute'")} AND EXISTS (
    SELECT 1 FROM machine m WHERE m.cluster_id = c.cluster_id AND m.namespace = c.namespace AND m.group_kind = c.group_kind
      AND m.group_name = c.group_name AND m.name = c.step_machine AND m.up_to_date = false AND NOT m.updating AND NOT m.deleting
      AND NOT EXISTS (SELECT 1 FROM machine_progress p WHERE p.change_id = c.id AND p.machine_id = m.id AND p.started_at IS NOT NULL))))
RETURNING 1`

type Stepwise = Pick<Change, 'id' | 'steps' | 'clusterId' | 'groupKind' | 'namespace' | 'groupName'>

/** Right before the answer that lets a machine move: of a change that goes machine by machine, whether it is its turn. */
export async function takeStep(change: Stepwise, about: Hold['about']): Promise<void> {
  if (change.steps === null) return
  const { machine } = about
  if (!machine) throw new Hold('it goes machine by machine, and the question names none', about)
  const taken = !(await isDone(change, machine)) && (await gatePool().query(CLAIM, [change.id, machine])).rowCount
  if (!taken)
    throw new Hold(
      'one machine at a time, as approved: another one is under way, or the next one waits for somebody',
      about,
    )
}

/**
 * What was allowed is done: Cluster API deletes a machine that is ill first, and asks nobody. Whoever has the step may be in the middle
 * of it. By rows that are at most two minutes old: nobody comes here otherwise (etcd.ts).
 */
async function isDone(change: Stepwise, machine: string): Promise<boolean> {
  const now = await db().change.findUnique({ where: { id: change.id }, select: { steps: true, stepMachine: true } })
  if (!now || now.steps === null || now.stepMachine === machine) return false
  return (await throughNow(db(), change, true)) >= now.steps
}
