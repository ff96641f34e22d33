import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { MachineNow } from '@/worker/planner/progress'

/** A group with machines, and a change of it, as rows. */
export async function machinesOfChange(kind: 'MachineDeployment' | 'KubeadmControlPlane' = 'MachineDeployment') {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const key = { clusterId, kind, namespace: 'fleet', name: 'md', fence: 1n }
  const of = { clusterId, groupKind: key.kind, namespace: 'fleet', groupName: 'md', workloadCluster: 'w' }
  const machine = (
    name: string,
    verdict: string,
    more: Partial<Omit<MachineNow, 'verdict' | 'plane'> & { ready: boolean }> = {},
  ) =>
    db().machine.create({
      data: {
        ...{ ...of, id: randomUUID(), name, provider: 'cluster.x-k8s.io', machineSet: 'old', verdict, upToDate: true },
        ...{ phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1', createdAt: new Date(0), ...more },
      },
    })
  const change = () =>
    db().change.create({
      data: {
        ...{ ...of, groupId: randomUUID(), fingerprint: 'f', state: 'waiting', summary: '', heldBy: 'latch' },
        ...{ resourceVersion: '1', machines: 2, changeSet: {}, outlook: {} },
      },
    })
  return { key, machine, change }
}
