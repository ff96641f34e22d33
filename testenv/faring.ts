import { db } from '@/lib/db/client'
import type { Held } from './held'

/** What the planner has seen of a machine of this rollout. */
export async function fares(held: Held, name: string, progress: object = {}, machine: object = {}): Promise<void> {
  const { change } = held
  const { clusterId, namespace, groupKind, groupName, workloadCluster } = change
  const of = { clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' }
  const seen = { phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true }
  const { id: machineId } = await db().machine.create({
    data: { ...of, ...seen, id: crypto.randomUUID(), name, resourceVersion: '1', createdAt: new Date(), ...machine },
  })
  await db().machineProgress.create({
    data: {
      ...{ changeId: change.id, machineId, machineName: name, state: 'created', startedAt: new Date() },
      ...progress,
    },
  })
}
/** There before, and foretold to be updated. */
export const OLD = { predicted: 'in-place' }
export const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
