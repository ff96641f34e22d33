import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { aheadWords } from '@/lib/domain/rollout/preflight'
import { lowestVersion } from '@/lib/domain/version'

type Workers = Pick<Change, 'clusterId' | 'groupKind' | 'namespace' | 'workloadCluster' | 'toVersion'>

const KIND = 'KubeadmControlPlane'

/** Whether workers would be newer than their control plane is now, whichever way they go: what it is to become does not help them. */
export const aheadOfPlane = async (tx: Tx, change: Workers): Promise<string[]> => (await aheadAmong(tx, [change]))[0]!

type Place = Pick<Workers, 'clusterId' | 'namespace'> & { workloadCluster: string | null }
const placeOf = ({ clusterId, namespace, workloadCluster }: Place) => `${clusterId} ${namespace}/${workloadCluster}`

/** The same of many, with two queries: in their order. */
export async function aheadAmong(tx: Tx, changes: readonly Workers[]): Promise<string[][]> {
  const asked = changes.filter(({ groupKind, toVersion }) => groupKind !== KIND && toVersion !== null)
  if (asked.length === 0) return changes.map(() => [])
  const where = {
    clusterId: { in: [...new Set(asked.map(({ clusterId }) => clusterId))] },
    namespace: { in: [...new Set(asked.map(({ namespace }) => namespace))] },
    workloadCluster: { in: [...new Set(asked.map(({ workloadCluster }) => workloadCluster))] },
  }
  const of = { clusterId: true, namespace: true, workloadCluster: true, version: true } as const
  const planes = await tx.group.findMany({ where: { ...where, kind: KIND }, select: { ...of, name: true } })
  const machines = await tx.machine.findMany({ where: { ...where, groupKind: KIND }, select: of })
  const plane = new Map(planes.map((one) => [placeOf(one), one]))
  const versions = new Map<string, (string | null)[]>()
  for (const one of machines) versions.set(placeOf(one), [...(versions.get(placeOf(one)) ?? []), one.version])
  return changes.map((change) => {
    const before = asked.includes(change) ? plane.get(placeOf(change)) : undefined
    if (!before) return []
    const version = lowestVersion([before.version, ...(versions.get(placeOf(change)) ?? [])])
    const words = aheadWords(change.toVersion!, { name: before.name, version })
    return words === null ? [] : [words]
  })
}
