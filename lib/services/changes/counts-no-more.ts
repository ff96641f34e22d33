import { endOf, standingOf, type Approval, type Authorship, type Resolved } from '@/lib/domain/policies'
import { limitOf } from '@/lib/domain/pools/progress'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { unseenAtOnce, type ApprovalRow } from './approvals'

/** How many nodes of a pool go at once, as its object says it. */
export interface AtOnce {
  limit: string
  machines: number
}

export function atOnceIn(object: KubeObject): AtOnce {
  const pool = readPool(object)
  return { limit: limitOf(pool), machines: pool.counts.machines }
}

export interface LetGo {
  given: readonly ApprovalRow[]
  mode: Approval['mode']
  rules: Resolved
  author: Authorship
  /** Null: it is none, or not known. */
  pool: AtOnce | null
}

/**
 * Why what people let go, and of which nothing has begun, goes by their approvals no more: some expired since, or showed fewer nodes of a
 * pool at once than go by now, and without those there are not enough. Null: it does. What else is asked by now is asked of what is
 * not let go yet.
 */
export function countsNoMore({ given, mode, rules, author, pool }: LetGo, now: Date): 'expired' | 'at-once' | null {
  const areTooFew = (rows: readonly Approval[]) => standingOf(rows, mode, rules, author, now).missing > 0
  if (given.some((one) => (endOf(one, rules) ?? now) < now) && areTooFew(given)) return 'expired'
  const seen = given.filter((row) => !unseenAtOnce(row, pool))
  return seen.length < given.length && areTooFew(seen) ? 'at-once' : null
}
