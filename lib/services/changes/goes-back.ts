import { db } from '@/lib/db/client'
import type { TookPlaceOf } from './fell-away'

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

/** By the audit of the change whose place it took; null: nobody rolled that back. */
export async function goesBack({ id, groupKind, summary, finishedAt }: TookPlaceOf): Promise<GoesBack | null> {
  const at = finishedAt.getTime()
  const said = await db().auditEvent.findFirst({
    where: {
      ...{ targetKind: groupKind, targetId: id, action: 'change.rolled-back', result: 'ok' },
      at: { gte: new Date(at - WITHIN_MS), lte: new Date(at + WITHIN_MS) },
    },
    orderBy: { id: 'desc' },
    select: { actorName: true, reason: true },
  })
  return said && { changeId: id, summary, by: said.actorName, reason: said.reason }
}
