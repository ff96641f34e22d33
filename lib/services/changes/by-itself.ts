import type { Tx } from '@/lib/db/client'
import { Prisma, type Change } from '@/lib/db/generated/client'
import { POOL } from '@/lib/domain/latch/hold'
import { wayByItself, type Resolved } from '@/lib/domain/policies'
import { outlookIn } from './change-row'
import { forPeopleAmong } from './for-people'
import { planesAtRisk } from './plane'

/**
 * Only what never began, and what nobody decided on before, may go without anybody; what enough people approved goes in their way. Of a
 * pool that is held by pausing a node or two are told before that as a rule.
 */
export const UNTOUCHED = {
  ...{ state: 'waiting', heldBy: { in: ['latch', 'gate'] } },
  ...{ decisions: { none: {} }, dueMode: null },
  OR: [{ groupKind: POOL }, { outcome: { equals: Prisma.AnyNull }, progress: { none: { startedAt: { not: null } } } }],
} satisfies Prisma.ChangeWhereInput

type Untouched = Pick<Change, 'id' | 'clusterId' | 'groupId' | 'groupKind' | 'namespace' | 'groupName' | 'outlook'>

/** Of changes that nobody touched, those that their rules let go without asking anybody, and in which way, whenever that may be. */
export async function goingByItself(
  tx: Tx,
  asked: readonly { change: Untouched; rules: Resolved }[],
): Promise<Map<string, 'in-place' | 'replace'>> {
  const going = asked.flatMap(({ change, rules }) => {
    const mode = wayByItself(rules, outlookIn(change), change.groupKind)
    return mode ? [{ change, mode }] : []
  })
  const those = going.map(({ change }) => change)
  const forPeople = await forPeopleAmong(
    tx,
    those.map(({ id }) => id),
  )
  // Whoever lets a control plane go whose etcd may not bear it types its name.
  const atRisk = await planesAtRisk(tx, those)
  return new Map(
    going.flatMap(({ change: { id }, mode }) => (forPeople.has(id) || atRisk.has(id) ? [] : [[id, mode] as const])),
  )
}
