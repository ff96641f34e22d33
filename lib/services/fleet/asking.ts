import { db } from '@/lib/db/client'
import type { FleetScope } from '@/lib/db/queries/fleet'
import { SHOWN } from '@/lib/db/queries/shown'
import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import { movesNobody } from '@/lib/domain/changes/moves-nobody'
import type { Prisma } from '@/lib/db/generated/client'
import { changeDto, NEWEST_DECISION, type ChangeDto } from '../changes/change-row'
import { hasItsTime } from '../changes/has-its-time'
import { listedStanding } from '../changes/listed-standing'
import { standingsWhereKnown, type ChangeStanding } from '../changes/standing'

export interface Asking {
  changes: ChangeDto[]
  standings: Map<string, ChangeStanding>
  /** Behind those that were looked at there are others. */
  unseen: boolean
}

/** With one more, by which it is known that there are. */
const MOST = SHOWN + 1
const PAGE = 100
/** Behind so many that go by themselves nobody looks on. */
const LOOKED_AT = 1_000

/** The first that need somebody: what goes by itself, approved or for nobody to approve, takes no place from them. */
export async function asking(scope: FleetScope, which: Prisma.ChangeWhereInput): Promise<Asking> {
  const found: Asking = { changes: [], standings: new Map(), unseen: false }
  let after: string | null = null
  // Mostly the first few are it.
  for (let looked = 0, take = MOST; looked < LOOKED_AT && found.changes.length < MOST; looked += take, take = PAGE) {
    const page: ChangeDto[] = await heldChanges(scope, which, { take, after })
    const standings = await standingsWhereKnown(page)
    for (const change of page) {
      const standing = standings.get(change.id)
      // Until that a machine that was chosen as it was held serves nobody.
      const costs = (change.outlook.before?.outOfService ?? 0) > 0 && standing?.timing.open === false
      const itself =
        (hasItsTime(change, standing) && !costs) || (change.stopped === null && asksNobodyOf(change, standing))
      if (movesNobody(change)) continue
      if (found.changes.length >= MOST || (change.holdLevel === 'fresh' && itself)) continue
      found.changes.push(change)
      if (standing) found.standings.set(change.id, standing)
    }
    found.unseen = page.length === take && found.changes.length < MOST
    if (!found.unseen) break
    after = page.at(-1)!.id
  }
  return found
}

/** What somebody keeps paused that Drydock does not hold asks nobody, until it is so for too long. */
export const asksNobodyOf = (change: ChangeDto, standing: ChangeStanding | undefined): boolean =>
  change.state === 'waiting' &&
  change.decision?.state !== 'failed' &&
  asksNobody(change, standing && listedStanding(standing, change))

/** The first of them: those that are held for too long, then the oldest. */
export async function heldChanges(
  scope: FleetScope,
  which: Prisma.ChangeWhereInput,
  { take, after }: { take: number; after: string | null } = { take: MOST, after: null },
): Promise<ChangeDto[]> {
  const rows = await db().change.findMany({
    where: {
      ...which,
      ...(scope.cluster ? { cluster: { name: scope.cluster } } : {}),
      ...(scope.workload ? { workloadCluster: scope.workload } : {}),
    },
    orderBy: [{ holdLevel: 'desc' }, { detectedAt: 'asc' }, { id: 'asc' }],
    ...{ take, ...(after ? { cursor: { id: after }, skip: 1 } : {}) },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  return rows.map(changeDto)
}
