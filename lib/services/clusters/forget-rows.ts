import type { Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { LIVE, OPEN } from '../changes/states'
import { keepPlaces, placesIn } from '../waves/keep-places'

/**
 * What was only a copy of the cluster goes with its connection: the rows carry the uids of its objects, and would be
 * taken for those of the next connection. What was decided stays readable, but it is over. What was not through stays in its wave:
 * in that of now, for from then on nobody knows. Throws where a policy cannot be read.
 */
export async function forgetRows(tx: Tx, clusterId: string): Promise<void> {
  const where = { clusterId }
  // From here on nobody knows what becomes of it: a pause that is over by its row was not seen to end.
  const finishedAt = await databaseNow(tx)
  const places = await placesIn(tx, clusterId)
  await tx.machine.deleteMany({ where })
  await tx.group.deleteMany({ where })
  await tx.healthCheck.deleteMany({ where })
  await tx.workloadCluster.deleteMany({ where })
  await tx.stream.deleteMany({ where })
  await tx.bootImageSet.deleteMany({ where })
  await tx.openShiftCluster.deleteMany({ where })
  await tx.configPool.deleteMany({ where })
  await tx.configNode.deleteMany({ where })
  await tx.upgradeBlocker.deleteMany({ where })
  await tx.adminGate.deleteMany({ where })
  await tx.clusterUpdates.deleteMany({ where })
  const error = 'The cluster was disconnected while the next step waited. What is stored of it stays.'
  await tx.openShiftAction.updateMany({ where: { ...where, state: 'waiting' }, data: { state: 'cancelled', error } })
  // What was skipped there is so no more, whatever is connected again.
  await tx.remediationSkip.deleteMany({ where: { change: where } })
  const open = { ...where, state: { in: OPEN } }
  // The changes before their decisions, as everybody who writes both.
  await tx.$queryRaw`
    SELECT 1 FROM change WHERE cluster_id = ${clusterId}::uuid AND state = ANY(${OPEN}) ORDER BY id FOR UPDATE`
  await keepPlaces(tx, places)
  const ends = { state: 'voided', claimedUntil: null }
  await tx.decision.updateMany({ where: { state: { in: LIVE }, change: open }, data: { ...ends, cutOff: true } })
  await tx.decision.updateMany({ where: { state: 'failed', change: open }, data: ends })
  const newest = await tx.auditEvent.findFirst({ orderBy: { id: 'desc' }, select: { id: true } })
  await tx.change.updateMany({
    where: open,
    data: {
      ...{ state: 'superseded', stuckReason: null },
      ...{ finishedAt, leftAfter: newest?.id ?? 0n },
    },
  })
  for (const topic of ['machines', 'groups', 'changes', 'boot-images', 'pools', 'gates', 'streams'] as const)
    await announce(tx, { topic, cluster: clusterId })
}

/**
 * The worker that follows the cluster still has its lease for a moment: what it writes from now on is refused. First of
 * all in a transaction, because its own writes lock the lease first, too.
 */
export async function takeLease(tx: Tx, clusterId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE cluster_lease SET owner = 'nobody', fence = fence + 1, until = now() - interval '1 second'
    WHERE cluster_id = ${clusterId}::uuid`
}
