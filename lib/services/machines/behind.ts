import { db } from '@/lib/db/client'

type Of = { clusterId: string; node: string | null; verdict: string }
const keyOf = (clusterId: string, node: string) => `${clusterId} ${node}`

/** Of OpenShift: whose node has not the configuration that its pool wants, of which a machine set knows nothing. */
export async function behindTheirPools(machines: readonly Of[]): Promise<(machine: Of) => boolean> {
  const asked = machines.filter(({ node, verdict }) => node !== null && verdict === 'up-to-date')
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
  return ({ clusterId, node }) => node !== null && behind.has(keyOf(clusterId, node))
}
