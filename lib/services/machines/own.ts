import { db } from '@/lib/db/client'

interface Of {
  clusterId: string
  workload: string
}

/** Of OpenShift: machines of the cluster itself. Those of another that it manages may have nodes that are called the same. */
export async function ownMachines(machines: readonly Of[]): Promise<(machine: Of) => boolean> {
  const clusterId = { in: [...new Set(machines.map((machine) => machine.clusterId))] }
  const rows = await db().workloadCluster.findMany({
    where: { clusterId, provider: 'openshift' },
    select: { clusterId: true, name: true },
  })
  const own = new Map(rows.map(({ clusterId, name }) => [clusterId, name]))
  return ({ clusterId, workload }) => own.get(clusterId) === workload
}
