import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { claimable, claimed, claimName, whileRenewed } from '../claim'
import type { DecisionRow as Row } from './overtake'

/** Whose claim it still is: of that very attempt, whoever else calls himself the same. */
export const heldBy = ({ id, claimedBy }: Pick<Row, 'id' | 'claimedBy'>) => ({ id, state: 'applying', claimedBy })

/** Null: somebody else has it, or there is nothing to apply any more. */
export async function claimDecision(id: string, who: string): Promise<Row | null> {
  const now = await databaseNow(db())
  const claimedBy = claimName(who)
  const { count } = await db().decision.updateMany({ where: claimable(id, now), data: claimed(claimedBy, now) })
  if (count === 0) return null
  const include = { change: { include: { cluster: true } } }
  // By then it may be another's: this attempt goes on under its own name alone, and finds so.
  return { ...(await db().decision.findUniqueOrThrow({ where: { id }, include })), claimedBy }
}

export const whileClaimed = <T>(row: Row, work: () => Promise<T>): Promise<T> =>
  whileRenewed(
    { decisionId: row.id },
    (claimedUntil) => db().decision.updateMany({ where: heldBy(row), data: { claimedUntil } }),
    work,
  )
