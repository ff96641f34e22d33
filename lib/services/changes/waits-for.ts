import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { ServiceError } from '../errors'
import { rulesForAll } from '../policies/rules-for'
import { closedWords, isHalted, TIMED, timingOf } from '../policies/timing'

/** What a hold was there for that somebody took away. */
export interface WaitsFor {
  /** Somebody's pause, its own stop, or its time, as it stands on the object; null: nothing but a decision. */
  words: string | null
  /** An approval had let it go here before. */
  letGo: boolean
}

export async function waitsFor(id: string): Promise<WaitsFor> {
  const row = await db().change.findUnique({
    where: { id },
    select: {
      ...{ clusterId: true, groupKind: true, groupName: true, namespace: true, workloadCluster: true },
      ...{ dueMode: true, ...TIMED },
      _count: { select: { decisions: { where: { mode: { not: 'reject' }, acceptedAt: { not: null } } } } },
    },
  })
  if (!row) return { words: null, letGo: false }
  const letGo = row._count.decisions > 0
  if (!isHalted(row) && row.dueMode === null) return { words: null, letGo }
  // Words only: what cannot be read (any policy of anybody) keeps nobody from holding it again.
  const [rules] = await rulesForAll(db(), [row]).catch(() => [{}])
  const timing = timingOf(rules instanceof ServiceError ? {} : rules!, row, await databaseNow(db()))
  return { words: timing.open ? null : closedWords(timing), letGo }
}
