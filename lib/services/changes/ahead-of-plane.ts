import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { aheadWords } from '@/lib/domain/rollout/preflight'
import { lowestVersion } from '@/lib/domain/version'

type Workers = Pick<Change, 'clusterId' | 'groupKind' | 'namespace' | 'workloadCluster' | 'toVersion'>

const KIND = 'KubeadmControlPlane'

/** Whether workers would be newer than their control plane is now, whichever way they go: what it is to become does not help them. */
export async function aheadOfPlane(tx: Tx, change: Workers): Promise<string[]> {
  const { clusterId, groupKind, namespace, workloadCluster, toVersion } = change
  if (groupKind === KIND || toVersion === null) return []
  const where = { clusterId, namespace, workloadCluster }
  const plane = await tx.group.findFirst({ where: { ...where, kind: KIND }, select: { name: true, version: true } })
  if (!plane) return []
  const machines = await tx.machine.findMany({ where: { ...where, groupKind: KIND }, select: { version: true } })
  const words = aheadWords(toVersion, {
    name: plane.name,
    version: lowestVersion([plane.version, ...machines.map(({ version }) => version)]),
  })
  return words === null ? [] : [words]
}
