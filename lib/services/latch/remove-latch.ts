import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { Prisma } from '@/lib/db/generated/client'
import { bearsOurMark } from '@/lib/domain/latch/diff'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { deleteAll } from './apply'
import { heldObjects } from './held-objects'
import { inspectLatch } from './inspect'
import { withLatchLock } from './lock'
import { latchError, outcome } from './outcome'
import { findLatchObjects } from './resources'
import { RemoveLatchInput } from './schemas'
import { latchTarget, needsNoLook } from './target'
import { withUnnamed } from './unnamed'
import { endWatching } from './watching'

interface Removed {
  answers: string[]
  held: string[]
}

/**
 * Removes the latch. What is held stays paused, but anybody may release it then: so it must be named exactly,
 * as the caller saw it, or nothing is removed.
 */
export async function removeLatch(ctx: Ctx, input: unknown): Promise<Removed> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, held: seen } = parseInput(RemoveLatchInput, input)
  return withLatchLock(clusterId, () => remove(ctx, clusterId, seen))
}

async function remove(ctx: Ctx, clusterId: string, seen: string[]): Promise<Removed> {
  const { cluster } = await latchTarget(clusterId, { governs: 'none' })
  const client = await kubeClientFor(clusterId)
  const capabilities = await withUnnamed(client, cluster)
  const held = await heldObjects(client, capabilities)
  if (JSON.stringify([...seen].sort()) !== JSON.stringify(held)) {
    const list = held.length ? held.join(', ') : 'nothing any more'
    throw new ServiceError(
      'conflict',
      `Held on ${cluster.name}: ${list}. Without the latch these stay paused, but anybody may release them, and their machines then move unapproved.`,
      {
        hint: 'Approve or revert them first, or confirm with exactly this list.',
        fields: held.map((key) => ({ field: 'held', message: key })),
      },
    )
  }
  // Before anything is written: what may not be looked at is not gone.
  const version = capabilities.latch.policy ?? 'v1'
  const found = await findLatchObjects(client, version, needsNoLook(cluster)).catch((error: unknown) => {
    throw latchError(error, 'What to remove could not be asked: nothing was changed.')
  })
  const audit = {
    target: { kind: 'Latch', id: clusterId, name: cluster.name },
    cluster: { id: clusterId, name: cluster.name },
  }
  const form = cluster.latchForm
  await db().$transaction(async (tx) => {
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: { latchForm: 'none', latchStatus: Prisma.DbNull },
    })
    await endWatching(tx, clusterId)
    await tx.policy.updateMany({
      where: { clusterId },
      data: { governs: 'none', pools: null, version: { increment: 1 } },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, { ...audit, action: 'latch.remove', details: { form, held } })
  })
  return outcome(
    ctx,
    { ...audit, action: 'latch.removed', details: { form } },
    'The latch could not be removed.',
    async (say) => {
      const answers: string[] = []
      await deleteAll(client, found.filter(bearsOurMark), (answer) => {
        answers.push(answer)
        say(answer)
      })
      await inspectLatch(clusterId)
      return { value: { answers, held }, ok: true }
    },
  )
}
