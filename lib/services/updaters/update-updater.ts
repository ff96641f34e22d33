import { db } from '@/lib/db/client'
import { Prisma, type Updater } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { announceUpdaters } from './announce'
import { fingerprintsOf } from './authority'
import { dependentsOf, inUse, type Dependent } from './dependents'
import { isFor, readGroups, storedGroups, type UpdaterGroups } from './groups'
import { tried } from './hooks'
import { updaterDto, type UpdaterDto } from './list-updaters'
import { UpdateUpdaterInput } from './schemas'

/**
 * Changes where an updater is, whom it is trusted by and which groups it is for, after it has answered there. Also while
 * updates run with it: an updater that moved is mended by this. Only a group that it is at work on cannot be left out.
 */
export async function updateUpdater(ctx: Ctx, input: unknown): Promise<UpdaterDto> {
  requirePermission(ctx, 'updaters:write')
  const { updaterId, ...wish } = parseInput(UpdateUpdaterInput, input)
  const before = found(await db().updater.findUnique({ where: { id: updaterId } }))
  const groups = wish.groups ? storedGroups(wish.groups) : readGroups(before)
  const { name } = before
  const target = { name, url: wish.url ?? before.url, caPem: wish.caPem ?? before.caPem }
  const { hooks, ms } = await tried(target, groups === 'unreadable' ? null : groups)
  return db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM updater WHERE id = ${updaterId}::uuid FOR UPDATE`
    const row = found(await tx.updater.findUnique({ where: { id: updaterId }, include: { cluster: true } }))
    // What was tried is what is saved, whoever else edited it meanwhile.
    if (row.url !== before.url || row.caPem !== before.caPem || !same(row.groups, before.groups))
      throw new ServiceError('conflict', `Somebody else changed ${name} at the same time.`, {
        hint: 'Look at what is there now, and change it again.',
      })
    const changed = differences(row, target, wish.groups ? groups : undefined)
    if (Object.keys(changed).length === 0) return updaterDto(row)
    if (changed.groups && groups !== 'unreadable') {
      const was = readGroups(row)
      const isLeft = ({ identity }: Dependent) =>
        !isFor(groups, identity) && (was === 'unreadable' || isFor(was, identity))
      const left = (await dependentsOf(tx, row)).filter(isLeft)
      if (left.length > 0) throw inUse(left, 'an updater cannot leave a group that it is at work on.')
    }
    const { url, caPem } = target
    const selection = wish.groups ? { groups: storedGroups(wish.groups) ?? Prisma.DbNull } : {}
    // What is known of how it fares was of where it was; there it has just answered.
    const health = { askedAt: new Date(), answeredMs: ms, failingSince: null, lastError: null }
    const moved = changed.url || changed.authority ? health : {}
    const stored = await tx.updater.update({ where: { id: updaterId }, data: { url, caPem, ...selection, ...moved } })
    await announceUpdaters(tx, row.clusterId)
    await recordAudit(tx, ctx, {
      action: 'updater.changed',
      target: { kind: 'Updater', id: row.id, name },
      cluster: row.cluster && { id: row.cluster.id, name: row.cluster.name },
      answer: `handles ${hooks.join(', ')}`,
      details: changed,
    })
    return updaterDto(stored)
  })
}

function found<Row extends Updater>(row: Row | null): Row {
  if (row) return row
  throw new ServiceError('not-found', 'There is no such updater.')
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What is different afterwards, for the audit. Of an authority only its fingerprints are kept there. */
function differences(
  before: Updater,
  { url, caPem }: { url: string; caPem: string },
  groups: UpdaterGroups | null | 'unreadable' | undefined,
) {
  const was = readGroups(before)
  const authorities = { from: fingerprintsOf(before.caPem), to: fingerprintsOf(caPem) }
  return {
    ...(url === before.url ? {} : { url: { from: before.url, to: url } }),
    ...(caPem === before.caPem ? {} : { authority: authorities }),
    ...(groups === undefined || same(groups, was) ? {} : { groups: { from: was ?? 'all', to: groups ?? 'all' } }),
  }
}
