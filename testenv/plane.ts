import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { COMPONENTS, ETCD_PARTS, type PlaneSaid } from '@/lib/domain/control-plane'
import type { Held } from './held'

/** As the manager of control planes says it of a machine that is well, but for some conditions. */
export const said = (but: Record<string, string> = {}, more: Partial<PlaneSaid> = {}): PlaneSaid => ({
  parts: [...ETCD_PARTS, ...COMPONENTS].map((type) => ({ type, status: but[type] ?? 'True', message: '' })),
  ...{ node: 'ready', hook: true },
  ...more,
})

/** Machines of a cluster were seen, a moment ago or so many seconds. */
export async function machinesSeen(clusterId: string, seconds = 0): Promise<void> {
  const of = { clusterId, resource: 'machines.cluster.x-k8s.io' }
  const seenUntil = new Date(Date.now() - seconds * 1000)
  const create = { ...of, state: 'watching', seenUntil }
  await db().stream.upsert({ where: { clusterId_resource: of }, create, update: { seenUntil } })
}

/** The rows of a control plane's machines, named as given; all of them are well, and were seen now. */
export async function planeRows({ change }: Pick<Held, 'change'>, names: readonly string[]): Promise<string[]> {
  const { clusterId, namespace, groupId, groupName, groupKind, workloadCluster } = change
  await db().group.update({ where: { id: groupId }, data: { etcd: 'managed' } })
  await machinesSeen(clusterId)
  return Promise.all(
    names.map(async (name) => {
      const { id } = await db().machine.create({
        data: {
          ...{ id: randomUUID(), clusterId, namespace, groupName, groupKind, workloadCluster, name, node: name },
          ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1' },
          ...{ controlPlane: true, ready: true, available: true, upToDate: false, verdict: 'in-place' },
          ...{ createdAt: new Date(Date.now() - 86_400_000), plane: said() as unknown as Prisma.InputJsonValue },
        },
      })
      return id
    }),
  )
}

export const saysOf = (id: string, plane: PlaneSaid | null): Promise<unknown> =>
  db().machine.update({ where: { id }, data: { plane: plane as unknown as Prisma.InputJsonValue } })
