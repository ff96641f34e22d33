import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { announceUpdaters } from './announce'
import { storedGroups } from './groups'
import { tried } from './hooks'
import { updaterDto, type UpdaterDto } from './list-updaters'
import { inOrder, number } from './order'
import { AddUpdaterInput } from './schemas'

/** Adds a Runtime Extension that can update in place. It must answer discovery before it is saved. */
export async function addUpdater(ctx: Ctx, input: unknown): Promise<UpdaterDto> {
  requirePermission(ctx, 'updaters:write')
  const wish = parseInput(AddUpdaterInput, input)
  const groups = storedGroups(wish.groups)
  const { hooks, ms } = await tried(wish, groups)
  const health = { askedAt: new Date(), answeredMs: ms }
  try {
    return await db().$transaction(async (tx) => {
      const cluster = wish.clusterId ? await tx.managementCluster.findUnique({ where: { id: wish.clusterId } }) : null
      if (wish.clusterId && !cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
      const others = await inOrder(tx)
      const { name, url, caPem } = wish
      const position = Math.min(wish.position ?? others.length, others.length)
      const clusterId = wish.clusterId ?? null
      const data = { name, url, caPem, position, clusterId, ...health, ...(groups ? { groups } : {}) }
      const row = await tx.updater.create({ data })
      await number(tx, others.toSpliced(position, 0, row))
      await announceUpdaters(tx, wish.clusterId)
      await recordAudit(tx, ctx, {
        action: 'updater.added',
        target: { kind: 'Updater', id: row.id, name },
        cluster: cluster && { id: cluster.id, name: cluster.name },
        answer: `handles ${hooks.join(', ')}`,
        details: { url, position, groups: groups ?? 'all' },
      })
      return updaterDto(row)
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      const message = `There is already an updater named ${wish.name}.`
      throw new ServiceError('conflict', message, { fields: [{ field: 'name', message }] })
    }
    throw error
  }
}
