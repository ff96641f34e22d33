import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { announceUpdaters } from './announce'
import { inPlaceChanges, inUse } from './dependents'
import { updaterDto, type UpdaterDto } from './list-updaters'
import { inOrder, number } from './order'
import { MoveUpdaterInput } from './schemas'

/**
 * Moves an updater in the order in which they are asked and run: up, down or to a place, as the list of a management
 * cluster shows it. Not past one that it shares a running update with: two would be at work on one machine.
 */
export async function moveUpdater(ctx: Ctx, input: unknown): Promise<UpdaterDto[]> {
  requirePermission(ctx, 'updaters:write')
  const { updaterId, clusterId, to } = parseInput(MoveUpdaterInput, input)
  return db().$transaction(async (tx) => {
    const all = await inOrder(tx)
    const shown = all.filter((row) => !clusterId || row.clusterId === null || row.clusterId === clusterId)
    const from = shown.findIndex(({ id }) => id === updaterId)
    const row = shown[from]
    if (!row) throw new ServiceError('not-found', 'There is no such updater.')
    const wanted = to === 'up' ? from - 1 : to === 'down' ? from + 1 : to
    const at = Math.max(0, Math.min(shown.length - 1, wanted))
    if (at === from) return shown.map(updaterDto)
    const others = all.filter(({ id }) => id !== updaterId)
    const neighbour = others.indexOf(shown[at]!)
    const next = others.toSpliced(at < from ? neighbour : neighbour + 1, 0, row)
    const [first, last] = [all.indexOf(row), next.indexOf(row)].sort((a, b) => a - b) as [number, number]
    const mine = (await inPlaceChanges(tx, row.clusterId)).filter((change) => change.hasPart(row))
    for (const passed of all.slice(first, last + 1)) {
      if (passed.id === row.id) continue
      const both = mine.filter((change) => change.hasPart(passed))
      if (both.length > 0) throw inUse(both, `${row.name} and ${passed.name} both have a part in it.`)
    }
    await number(tx, next)
    await announceUpdaters(tx, row.clusterId)
    await recordAudit(tx, ctx, {
      action: 'updater.moved',
      target: { kind: 'Updater', id: row.id, name: row.name },
      details: { order: next.map(({ name }) => name) },
    })
    const ids = new Set(shown.map(({ id }) => id))
    return next.flatMap((updater, position) => (ids.has(updater.id) ? [updaterDto({ ...updater, position })] : []))
  })
}
