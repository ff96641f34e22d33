import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { takeBack } from './release'

/** Longer than any disconnect takes: one that is still under way would find itself connected again, and say so. */
const PATIENCE_MS = 5 * 60_000

/**
 * A disconnect that nobody ends any more, because its process died: the credentials are still there, but nobody
 * watches the cluster or repairs its latch. It is connected again, and on record. Returns the names.
 */
export async function recoverDisconnects(patienceMs = PATIENCE_MS): Promise<string[]> {
  const left = await db().managementCluster.findMany({
    where: { state: 'disconnected', credential: { isNot: null } },
    select: { id: true, name: true },
  })
  const recovered: string[] = []
  for (const { id, name } of left) {
    const begun = await db().auditEvent.findFirst({
      where: { action: 'cluster.disconnect', targetKind: 'ManagementCluster', targetId: id },
      orderBy: { id: 'desc' },
      select: { at: true },
    })
    if (begun && begun.at.getTime() > Date.now() - patienceMs) continue
    const guarded = await takeBack(id)
    if (await connectAgain(id, name, guarded)) recovered.push(name)
  }
  return recovered
}

const connectAgain = (id: string, name: string, guarded: string | null): Promise<boolean> =>
  db().$transaction(async (tx) => {
    const { count } = await tx.managementCluster.updateMany({
      where: { id, state: 'disconnected', credential: { isNot: null } },
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
