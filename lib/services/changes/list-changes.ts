import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { literal } from '@/lib/db/like'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { changeDto, NEWEST_DECISION, OVER, WAITING, type ChangeDto } from './change-row'
import { ListInput, type Tab } from './schemas'
import { UNDER_WAY } from './states'
import { failedOf, withLate } from './with-late'

export interface ChangePage {
  changes: ChangeDto[]
  /** For the next page; null at the end. */
  cursor: string | null
  counts: Record<Tab, number>
}

const STATES: Record<Tab, string[]> = { waiting: WAITING, running: UNDER_WAY, done: OVER }

/** One tab of the page Updates, newest first, paged by key. */
export async function listChanges(ctx: Ctx, input: unknown): Promise<ChangePage> {
  requirePermission(ctx, 'fleet:read')
  const { tab, cluster, workloadCluster, q, cursor, limit } = parseInput(ListInput, input)
  const contains = q ? { contains: literal(q), mode: Prisma.QueryMode.insensitive } : undefined
  const where: Prisma.ChangeWhereInput = {
    ...(cluster ? { clusterId: cluster } : {}),
    ...(workloadCluster ? { workloadCluster } : {}),
    ...(contains
      ? {
          OR: [
            { groupName: contains },
            { workloadCluster: contains },
            { namespace: contains },
            { summary: contains },
            { author: contains },
          ],
        }
      : {}),
  }
  const after = cursor ? decode(cursor) : null
  const [rows, grouped] = await Promise.all([
    db().change.findMany({
      where: { AND: [where, { state: { in: STATES[tab] } }, after ? keyAfter(after) : {}] },
      orderBy: [{ detectedAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
    }),
    db().change.groupBy({ by: ['state'], where, _count: true }),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const total = (states: string[]) =>
    grouped.filter((g) => states.includes(g.state)).reduce((sum, g) => sum + g._count, 0)
  const failed = await failedOf(page)
  return {
    changes: page.map((row) => {
      const dto = changeDto(row)
      return { ...dto, outcome: dto.outcome && withLate(dto.outcome, failed.get(row.id) ?? []) }
    }),
    cursor: rows.length > limit && last ? `${last.detectedAt.getTime()}.${last.id}` : null,
    counts: { waiting: total(WAITING), running: total(UNDER_WAY), done: total(OVER) },
  }
}

function decode(cursor: string): { at: Date; id: string } {
  const match = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor)
  if (!match) throw new ServiceError('invalid', 'This is not a place in the list; begin at its top.')
  return { at: new Date(Number(match[1])), id: match[2]! }
}

const keyAfter = ({ at, id }: { at: Date; id: string }): Prisma.ChangeWhereInput => ({
  OR: [{ detectedAt: { lt: at } }, { detectedAt: at, id: { lt: id } }],
})
