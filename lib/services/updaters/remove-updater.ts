import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { announceUpdaters } from './announce'
import { dependentsOf, inUse } from './dependents'
import { inOrder } from './order'
import { RemoveUpdaterInput } from './schemas'

/** Takes an updater out. What it has begun it can no longer be asked about, so no update may be running with it. */
export async function removeUpdater(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'updaters:write')
  const { updaterId } = parseInput(RemoveUpdaterInput, input)
  await db().$transaction(async (tx) => {
    await inOrder(tx) // nobody numbers it meanwhile
    const row = await tx.updater.findUnique({ where: { id: updaterId }, include: { cluster: true } })
    if (!row) throw new ServiceError('not-found', 'There is no such updater.')
    const dependents = await dependentsOf(tx, row)
    if (dependents.length > 0) throw inUse(dependents, 'without its updater a machine stays half updated.')
    await tx.updater.delete({ where: { id: updaterId } })
    await announceUpdaters(tx, row.clusterId)
    await recordAudit(tx, ctx, {
      action: 'updater.removed',
      target: { kind: 'Updater', id: row.id, name: row.name },
      cluster: row.cluster && { id: row.cluster.id, name: row.cluster.name },
      details: { url: row.url },
    })
  })
}
