import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { lockCluster, newestAttempt, PATIENCE_MS, TAKEN_UP } from './attempt'
import { takeBack } from './release'

/**
 * A disconnect that nobody ends any more, because its process died: the credentials are still there, but nobody
 * watches the cluster or repairs its latch. It is connected again, and on record. Returns the names. No lock is waited for: that of
 * a host that is gone may stay for hours. Instead the attempt is over first, for its process may only have stood still; then
 * its mark is taken away, which it may have put there just before; and only then people decide there again.
 */
export async function recoverDisconnects(patienceMs = PATIENCE_MS): Promise<string[]> {
  const left = await db().managementCluster.findMany({
    where: { state: 'disconnected', credential: { isNot: null } },
    select: { id: true, name: true },
    orderBy: { name: 'asc' },
  })
  const recovered: string[] = []
  for (const { id, name } of left)
    try {
      if (!(await takeUp(id, patienceMs))) continue
      const guarded = await takeBack(id)
      if (await connectAgain(id, name, guarded)) recovered.push(name)
    } catch (error) {
      // Those behind it are waited for as well.
      log().warn({ err: error, cluster: name }, 'its disconnect was cut short, and it cannot be connected again yet')
    }
  return recovered
}

/** Whoever is disconnecting it does nothing more. False: it is not cut short, or somebody began anew. */
const takeUp = (id: string, patienceMs: number): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await lockCluster(tx, id)
    const begun = await newestAttempt(tx, id)
    if (begun && begun.at.getTime() > (await databaseNow(tx)).getTime() - patienceMs) return false
    const where = { id, state: 'disconnected', credential: { isNot: null } }
    const { count } = await tx.managementCluster.updateMany({ where, data: { stateMessage: TAKEN_UP } })
    if (count > 0) await announce(tx, { topic: 'clusters', cluster: id })
    return count > 0
  })

const connectAgain = (id: string, name: string, guarded: string | null): Promise<boolean> =>
  db().$transaction(async (tx) => {
    const { count } = await tx.managementCluster.updateMany({
      // Somebody may disconnect it anew by now.
      where: { id, state: 'disconnected', stateMessage: TAKEN_UP, credential: { isNot: null } },
      data: { state: 'pending', stateMessage: null },
    })
    if (count === 0) return false
    await announce(tx, { topic: 'clusters', cluster: id })
    await recordAudit(tx, systemCtx('worker'), {
      action: 'cluster.disconnected',
      target: { kind: 'ManagementCluster', id, name },
      cluster: { id, name },
      result: 'failed',
      answer: ['It was cut short: the cluster is connected again.', ...(guarded ? [guarded] : [])].join('\n'),
    })
    return true
  })
