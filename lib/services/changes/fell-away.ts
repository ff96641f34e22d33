import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'

/** Approvals of what the group wanted before, which say nothing of what it wants now. */
export interface FellAway {
  /** The change that they were given for. */
  changeId: string
  names: string[]
}

/** The change whose place this one took, with what was approved of it and nothing began by; null: it took none. */
export async function tookPlaceOf({ id, groupId, clusterId, detectedAt }: Change) {
  const older = await db().change.findFirst({
    where: { ...{ groupId, clusterId, state: 'superseded' }, id: { not: id }, detectedAt: { lt: detectedAt } },
    orderBy: { detectedAt: 'desc' },
    include: { approvals: { where: { begun: false }, orderBy: { at: 'asc' } } },
  })
  const finishedAt = older?.finishedAt
  if (!finishedAt || Math.abs(finishedAt.getTime() - detectedAt.getTime()) > TAKES_PLACE_MS) return null
  return { ...older, finishedAt }
}

export type TookPlaceOf = NonNullable<Awaited<ReturnType<typeof tookPlaceOf>>>

/** Approvals of the change whose place another took, where nothing had gone by them; null: nobody had approved it. */
export async function fellAway(older: TookPlaceOf): Promise<FellAway | null> {
  const [ended, went] = [older.finishedAt.getTime(), await wentBy(older.id)]
  const stood = older.approvals.filter(
    ({ endedAt, endedWhy, expiresAt, decisionId }) =>
      (endedAt === null || (endedWhy === 'void' && endedAt.getTime() >= ended - TAKES_PLACE_MS)) &&
      (expiresAt === null || expiresAt.getTime() > ended) &&
      !(decisionId && went.has(decisionId)),
  )
  const names = [...new Set(stood.map(({ actorName }) => actorName))]
  return names.length > 0 ? { changeId: older.id, names } : null
}

/** Both are written at once. */
const TAKES_PLACE_MS = 5_000

const wentBy = async (changeId: string): Promise<Set<string>> => {
  const rows = await db().decision.findMany({
    where: { changeId, acceptedAt: { not: null } },
    select: { id: true },
  })
  return new Set(rows.map(({ id }) => id))
}
