import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'

/** How one machine fares, as its updater says. Later words of the watch (up to date again) override it. */
export async function recordProgress(
  changeId: string,
  clusterId: string,
  namespace: string,
  machineName: string,
  state: 'updating' | 'done' | 'failed',
  message: string,
): Promise<void> {
  const machine = await db().machine.findFirst({
    where: { clusterId, namespace, name: machineName },
    select: { id: true },
  })
  if (!machine) return
  const known = await db().machineProgress.findUnique({
    where: { changeId_machineId: { changeId, machineId: machine.id } },
  })
  // Cluster API waits for the Node as well: what the updater calls done is done when the watch says so.
  const next = state === 'done' ? 'updating' : state
  if (known && known.state === next && known.message === message) return
  if (known?.state === 'done') return
  const data = { state: next, message: message || null }
  await db().machineProgress.upsert({
    where: { changeId_machineId: { changeId, machineId: machine.id } },
    create: { changeId, machineId: machine.id, machineName, startedAt: new Date(), predicted: 'in-place', ...data },
    update: { ...data, startedAt: known?.startedAt ?? new Date() },
  })
  await announce(db(), { topic: 'changes', cluster: clusterId, ids: [changeId] })
}
