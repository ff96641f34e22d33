import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { RemoveUpdaterInput } from './schemas'

/** Takes an updater out. What it has begun it can no longer be asked about, so no update may be running with it. */
export async function removeUpdater(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'updaters:write')
  const { updaterId } = parseInput(RemoveUpdaterInput, input)
  await db().$transaction(async (tx) => {
    const row = await tx.updater.findUnique({ where: { id: updaterId }, include: { cluster: true } })
    if (!row) throw new ServiceError('not-found', 'There is no such updater.')
    const running = await tx.change.count({
      where: {
        state: { in: ['approved', 'running', 'stuck'] },
        decisions: { some: { mode: 'in-place', state: { in: ['recorded', 'applying', 'accepted', 'seen'] } } },
        ...(row.clusterId ? { clusterId: row.clusterId } : {}),
      },
    })
    if (running > 0)
      throw new ServiceError(
        'conflict',
        `${running} change${running === 1 ? ' is' : 's are'} being updated in place right now.`,
        {
          hint: 'Wait until they are done: without its updater a machine stays half updated.',
        },
      )
    await tx.updater.delete({ where: { id: updaterId } })
    await announce(tx, { topic: 'clusters', cluster: row.clusterId ?? undefined })
    await recordAudit(tx, ctx, {
      action: 'updater.removed',
      target: { kind: 'Updater', id: row.id, name: row.name },
      cluster: row.cluster && { id: row.cluster.id, name: row.cluster.name },
      details: { url: row.url },
    })
  })
}
