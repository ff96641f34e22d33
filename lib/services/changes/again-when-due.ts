import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import { snapshotOf, type PolicySnapshot } from '../policies/snapshot'
import { pairsToKeep } from './approved-pairs'
import { callsOf, NEWEST_DECISION } from './change-row'
import type { Decidable, Wish } from './decidable'
import type { Given } from './give-approval'
import { putOffsOf, triedAtOf } from './tries'

/** What was tried last longer ago (a window closed, say) is due anew, and people are told anew. */
const SAME_MS = 3_600_000

/**
 * Takes up again, as if it had never been tried, what could not be sent in its time: as decisions of their own there would be hundreds in
 * a long outage. Only the newest one, by the same approvals and policies, and nothing of it was ever sent. Returns its id; null: it has to
 * be decided anew. The change is locked.
 */
export async function againWhenDue(tx: Tx, change: Decidable, wish: Wish, given: Given | null): Promise<string | null> {
  if (wish.by !== 'calendar' || !given) return null
  const last = await tx.decision.findFirst({ where: { changeId: change.id }, ...NEWEST_DECISION })
  const triedAt = last && triedAtOf(last)
  if (!triedAt || last.fingerprint !== wish.fingerprint || last.mode !== wish.mode) return null
  const recordedAt = await databaseNow(tx)
  if (recordedAt.getTime() - triedAt.getTime() > SAME_MS || !isSame(snapshotOf(last), given.snapshot)) return null
  const { count } = await tx.decision.updateMany({
    where: { id: last.id, state: 'voided', awaitsTime: true, sentAt: null, acceptedAt: null },
    data: {
      ...{ state: 'recorded', awaitsTime: false, error: null, recordedAt, plan: Prisma.DbNull },
      // Whoever is at it still from before holds it no more.
      ...{ claimedBy: null, claimedUntil: null, attempts: 0 },
      ...{ replicas: given.replicas, expiresAt: given.expiresAt, ...pairsToKeep(change) },
      policy: { ...given.snapshot, putOff: putOffsOf(last) } as unknown as Prisma.InputJsonObject,
      calls: callsOf(last).map((call) => ({ ...call, earlier: true })) as unknown as Prisma.InputJsonArray,
    },
  })
  return count > 0 ? last.id : null
}

function isSame(before: PolicySnapshot | null, now: PolicySnapshot): boolean {
  const { putOff: _, ...was } = before ?? {}
  // As it is stored.
  return isDeepStrictEqual(was, JSON.parse(JSON.stringify(now)))
}
