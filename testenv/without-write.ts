import { db } from '@/lib/db/client'

/** While Drydock may not change the MachineConfiguration of a cluster, by what was found there. */
export async function withoutWrite<T>(clusterId: string, work: () => Promise<T>): Promise<T> {
  const where = { id: clusterId }
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where })
  const lack = { verb: 'patch', group: 'operator.openshift.io', resource: 'machineconfigurations' }
  const missingPermissions = [{ ...lack, part: 'openshift-write', name: 'cluster', why: 'w' }]
  await db().managementCluster.update({
    where,
    data: { discovery: { ...(discovery as object), missingPermissions } },
  })
  try {
    return await work()
  } finally {
    await db().managementCluster.update({ where, data: { discovery: discovery! } })
  }
}
