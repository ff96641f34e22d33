import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { unheardWords } from '@/lib/domain/unheard'
import { unheardSentence } from '@/lib/domain/upgradeable/unheard'
import { isOwned } from '../owned'
import type { Silence } from '../silence'
import type { ClusterView } from '../types'
import { rankOf } from './rows'
import { unheardFrom } from './write'

/** ClusterVersion was not listed since this worker follows it: what another one judged before may not stand there as if it were of now. */
export async function writeUnread({ clusterId, fence }: ClusterView, { unheard, streams }: Silence): Promise<void> {
  if (!unheard) return
  await db().$transaction(async (tx) => {
    if (!(await isOwned(tx, clusterId, fence))) return
    const row = await tx.clusterUpdates.findUnique({ where: { clusterId } })
    if (!row) return
    await tx.clusterUpdates.update({
      where: { clusterId },
      data: {
        ...{ state: 'unknown', sentence: unheardSentence(unheard, row.desired), reason: null, message: null },
        ...{ choices: [], underway: Prisma.DbNull, blockers: 0, rank: rankOf('unknown', row.gatesWaiting) },
        unheardWhy: unheardWords(unheard),
        unheardSince: await unheardFrom(tx, clusterId, streams),
      },
    })
    await tx.upgradeBlocker.deleteMany({ where: { clusterId } })
    await announce(tx, { topic: 'gates', cluster: clusterId })
  })
}
