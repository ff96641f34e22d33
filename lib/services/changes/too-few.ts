import type { Tx } from '@/lib/db/client'
import type { Authorship, Resolved, TooFew } from '@/lib/domain/policies'
import { may, ROLES } from '../context'

/** More than any policy asks for, and than wrote one change. */
const ENOUGH = 32

/** Ids of people who may approve; of many, as many as are more than enough. */
export async function whoMayApprove(tx: Tx): Promise<string[]> {
  const role = { in: ROLES.filter((one) => may(one, 'changes:approve')) }
  const people = await tx.user.findMany({
    where: { disabledAt: null, role },
    orderBy: { id: 'asc' },
    take: ENOUGH,
    select: { id: true },
  })
  return people.map(({ id }) => id)
}

/** Whether a change can ever get what is asked for it, by the accounts of now; null: it can. */
export function tooFewOf(
  needed: number,
  { approvals, notTheAuthor }: Pick<Resolved, 'approvals' | 'notTheAuthor'>,
  author: Authorship,
  may: readonly string[],
): TooFew | null {
  // There is always an administrator: without any account nothing is known of people.
  if (may.length === 0) return null
  const people = may.filter((id) => !notTheAuthor.value || !author.isBy(id)).length
  // It asks for one more where nobody knows who wrote it.
  const policy = approvals.policy ?? notTheAuthor.policy
  return people < needed ? { needed, people, policy: policy?.name ?? null } : null
}
