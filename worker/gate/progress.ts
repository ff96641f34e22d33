import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { outlookIn } from '@/lib/services/changes/change-row'
import { saidToFail } from '../not-called'

/** Where one pass through the updaters of a machine came to. */
export interface MachineStep {
  state: 'updating' | 'done' | 'failed'
  /** Who is at work, or failed; null: all are done. */
  updater: string | null
  /** Those that said in this pass that they are done, in order; null: there was none, and what is known of them stays. */
  done: string[] | null
  message: string
  retryAfterSeconds: number
}

/** How one machine fares, as its updaters say. Later words of the watch (up to date again) override it. */
export async function recordStep(
  changeId: string,
  { clusterId, namespace, machine: machineName }: { clusterId: string; namespace: string; machine: string },
  { state, updater, done, message }: MachineStep,
): Promise<void> {
  const machine = await db().machine.findFirst({
    where: { clusterId, namespace, name: machineName },
    select: { id: true },
  })
  if (!machine) return
  const known = await db().machineProgress.findUnique({
    where: { changeId_machineId: { changeId, machineId: machine.id } },
  })
  // Cluster API waits for the Node as well: what the updaters call done is done when the watch says so.
  const next = state === 'done' ? 'updating' : state
  const same = known?.updater === updater && (done === null || known.updatersDone.join() === done.join())
  const told = async (): Promise<void> => {
    if (state === 'failed' && (await saidToFail(machine.id)))
      await announce(db(), { topic: 'machines', cluster: clusterId, ids: [machine.id] })
  }
  if (known && same && known.state === next && known.message === message) return told()
  if (known?.state === 'done') return
  const data = { state: next, message: message || null, updater, ...(done === null ? {} : { updatersDone: done }) }
  // By what was foretold is told who deletes it: it may be gone before the planner has looked.
  const predicted = known ? (known.predicted ?? (await wayOfAll(changeId))) : 'in-place'
  // By one clock, as what it is compared with: a worker's own may be wrong.
  const startedAt = known?.startedAt ?? (await databaseNow(db()))
  await db().machineProgress.upsert({
    where: { changeId_machineId: { changeId, machineId: machine.id } },
    create: { changeId, machineId: machine.id, machineName, startedAt, predicted, ...data },
    update: { ...data, predicted, startedAt },
  })
  // After what the projector goes by: else it might take the machine for one that nobody was called for once more.
  await told()
  await announce(db(), { topic: 'changes', cluster: clusterId, ids: [changeId] })
}

/** The gate itself lets no updater go on with a machine that is on record as begun; one that is not does not begin by that. */
export async function recordRefused(
  changeId: string,
  { clusterId, namespace, machine: name }: { clusterId: string; namespace: string; machine: string },
  message: string,
): Promise<void> {
  const machine = await db().machine.findFirst({ where: { clusterId, namespace, name }, select: { id: true } })
  if (!machine) return
  const begun = { changeId, machineId: machine.id, startedAt: { not: null }, finishedAt: null }
  const isNew = [{ state: { not: 'failed' } }, { message: null }, { message: { not: message } }]
  const data = { state: 'failed', message }
  const { count } = await db().machineProgress.updateMany({ where: { ...begun, OR: isNew }, data })
  if (count > 0) await announce(db(), { topic: 'changes', cluster: clusterId, ids: [changeId] })
}

/** Where all of them are updated where they stand, and none goes for a spare. */
async function wayOfAll(id: string): Promise<'in-place' | null> {
  const change = await db().change.findUniqueOrThrow({ where: { id }, select: { outlook: true } })
  const { 'in-place': able, 'up-to-date': _, ...others } = outlookIn(change).inPlace?.counts ?? {}
  return able && Object.values(others).every((count) => !count) ? 'in-place' : null
}
