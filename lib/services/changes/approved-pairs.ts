import type { Change, Decision, Prisma } from '@/lib/db/generated/client'
import type { RevisionPair } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import { changeSetOf } from './change-row'

/** What was approved of a pair, without what only the page shows. */
export type ApprovedPair = Pick<
  RevisionPair,
  'from' | 'fingerprint' | 'changes' | 'config' | 'templates' | 'later' | 'certainReplace' | 'otherKind'
>

/** What a decision keeps of its change, which is planned anew once it is held again. Nobody asks about a pool's nodes. */
export function pairsToKeep(change: Pick<Change, 'changeSet' | 'groupKind'>): { pairs?: Prisma.InputJsonArray } {
  if (change.groupKind === POOL) return {}
  const kept = changeSetOf(change).pairs.map(({ machines: _, createdAt: __, ...pair }): ApprovedPair => {
    return { ...pair, changes: pair.changes.map(({ current: ___, ...field }) => field) }
  })
  return { pairs: kept as unknown as Prisma.InputJsonArray }
}

/** What a decision approved; from before that was kept, what its change is now. */
export const pairsApproved = (
  { pairs }: Pick<Decision, 'pairs'>,
  change: Pick<Change, 'changeSet'>,
): readonly ApprovedPair[] => (pairs as unknown as ApprovedPair[] | null) ?? changeSetOf(change).pairs ?? []
