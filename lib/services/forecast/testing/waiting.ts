import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'

export interface Made {
  change: Change
  machines: string[]
}

/** A change that waits, of a group with these machines, the oldest first. */
export async function waiting(names: string[], more: { kind?: string; maxSurge?: string; unavailable?: string } = {}) {
  const cluster = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const where = { clusterId: cluster.id, namespace: 'fleet', workloadCluster: 'w' }
  const id = randomUUID()
  const { kind = 'MachineDeployment', maxSurge = '1', unavailable = '0' } = more
  await db().group.create({
    data: {
      ...{ ...where, id, kind, apiVersion: 'x', name: 'md', desiredReplicas: names.length, resourceVersion: '1' },
      ...{ strategy: 'RollingUpdate', maxSurge, maxUnavailable: unavailable, createdAt: new Date(0) },
    },
  })
  const ids = names.map(() => randomUUID())
  await db().machine.createMany({
    data: names.map((name, i) => ({
      ...{
        ...where,
        id: ids[i]!,
        name,
        provider: 'cluster.x-k8s.io',
        groupKind: kind,
        groupName: 'md',
        machineSet: 'old',
      },
      ...{ node: name, phase: 'Running', state: 'ready', sentence: '', ready: true, available: true },
      ...{ verdict: 'in-place', resourceVersion: '1', createdAt: new Date(1000 * (i + 1)) },
    })),
  })
  const from = kind === 'MachineDeployment' ? ['old'] : names
  const pairs = from.map((name) => ({ from: name, machines: 1, fingerprint: name, changes: [] }))
  const outcome = { counts: {}, created: 0, deleted: 0, headline: '' }
  const change = await db().change.create({
    data: {
      ...{ ...where, groupId: id, groupKind: kind, groupName: 'md', fingerprint: 'f', digest: 'd', state: 'waiting' },
      ...{ summary: 'v1 → v2', toVersion: 'v2', heldBy: 'latch', resourceVersion: '1', machines: names.length },
      ...{ changeSet: { pairs, fields: [] }, outlook: { inPlace: outcome, replace: outcome, uncovered: [] } },
    },
  })
  await db().machineProgress.createMany({
    data: names.map((name, i) => ({ changeId: change.id, machineId: ids[i]!, machineName: name, state: 'waiting' })),
  })
  return { change, machines: ids }
}
