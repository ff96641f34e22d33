import { db } from '@/lib/db/client'
import { ownMachines } from './own'

type Of = { clusterId: string; workload: string; node: string | null; verdict: string }
const keyOf = (clusterId: string, node: string) => `${clusterId} ${node}`

/** Of OpenShift: whose node has not the configuration that its pool wants, of which a machine set knows nothing. */
export async function behindTheirPools(machines: readonly Of[]): Promise<(machine: Of) => boolean> {
  const candidates = machines.filter(({ node, verdict }) => node !== null && verdict === 'up-to-date')
  if (candidates.length === 0) return () => false
  const isOwn = await ownMachines(candidates)
  const asked = candidates.filter(isOwn)
  if (asked.length === 0) return () => false
  const rows = await db().configNode.findMany({
    where: {
      clusterId: { in: [...new Set(asked.map(({ clusterId }) => clusterId))] },
      name: { in: asked.map(({ node }) => node!) },
      phase: { not: 'updated' },
    },
    select: { clusterId: true, name: true },
  })
  const behind = new Set(rows.map(({ clusterId, name }) => keyOf(clusterId, name)))
  return (machine) => machine.node !== null && isOwn(machine) && behind.has(keyOf(machine.clusterId, machine.node))
}
