import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'

/** Somebody rolled a change back here, and this one came of that write. */
export interface GoesBack {
  /** What was rolled back. */
  changeId: string
  summary: string
  by: string
  reason: string | null
}

/** A change takes the place of another as it is seen: before, or right after, the answer of the write is on record. */
const WITHIN_MS = 60_000
const TAKES_PLACE_MS = 5_000

/** By the audit of the change whose place it took; null: nobody rolled that back. */
export async function goesBack({ id, groupId, clusterId, detectedAt }: Change): Promise<GoesBack | null> {
  const at = detectedAt.getTime()
  const former = await db().change.findFirst({
    where: {
      ...{ groupId, clusterId, state: 'superseded', id: { not: id } },
      finishedAt: { gte: new Date(at - TAKES_PLACE_MS), lte: new Date(at + TAKES_PLACE_MS) },
    },
    orderBy: { detectedAt: 'desc' },
    select: { id: true, summary: true, groupKind: true },
  })
  if (!former) return null
  const said = await db().auditEvent.findFirst({
    where: {
      ...{ targetKind: former.groupKind, targetId: former.id, action: 'change.rolled-back', result: 'ok' },
      at: { gte: new Date(at - WITHIN_MS), lte: new Date(at + WITHIN_MS) },
    },
    orderBy: { id: 'desc' },
    select: { actorName: true, reason: true },
  })
  return said && { changeId: former.id, summary: former.summary, by: said.actorName, reason: said.reason }
}
