import { db } from '@/lib/db/client'
import { claimable, claimed, claimName, whileRenewed } from '../claim'
import type { DecisionRow as Row } from './overtake'

/** Whose claim it still is: of that very attempt, whoever else calls himself the same. */
export const heldBy = ({ id, claimedBy }: Pick<Row, 'id' | 'claimedBy'>) => ({ id, state: 'applying', claimedBy })

/** Null: somebody else has it, or there is nothing to apply any more. */
export async function claimDecision(id: string, who: string): Promise<Row | null> {
  const now = new Date()
  const { count } = await db().decision.updateMany({ where: claimable(id, now), data: claimed(claimName(who), now) })
  if (count === 0) return null
  return db().decision.findUniqueOrThrow({ where: { id }, include: { change: { include: { cluster: true } } } })
}

export const whileClaimed = <T>(row: Row, work: () => Promise<T>): Promise<T> =>
  whileRenewed(
    { decisionId: row.id },
    (claimedUntil) => db().decision.updateMany({ where: heldBy(row), data: { claimedUntil } }),
    work,
  )
