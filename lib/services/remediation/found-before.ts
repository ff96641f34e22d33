import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { REMEDIATE } from '@/lib/domain/health-checks'

/** What health checks did to a group in the middle of its updates before, or right after them. */
export interface FoundBefore {
  found: number
  /** Of these, deleted. */
  remediated: number
  /** When it happened last. */
  at: string
}

const MOST = 500

/** By checks that are over it still; what somebody marked by hand, and what had not begun, tells nothing. Null: none did. */
export async function foundBefore(
  { id, clusterId, groupId }: Pick<Change, 'id' | 'clusterId' | 'groupId'>,
  checks: readonly { name: string }[],
): Promise<FoundBefore | null> {
  if (checks.length === 0) return null
  const names = new Set(checks.map(({ name }) => name))
  const rows = await db().machineProgress.findMany({
    where: { changeId: { not: id }, change: { clusterId, groupId }, illAt: { not: null }, startedAt: { not: null } },
    orderBy: { illAt: 'desc' },
    take: MOST,
    select: { illAt: true, illBy: true, state: true },
  })
  const found = rows.filter(
    ({ illBy }) => illBy !== REMEDIATE && (illBy === null || illBy.split(', ').some((name) => names.has(name))),
  )
  const [last] = found
  if (!last) return null
  const remediated = found.filter(({ state }) => state === 'deleting' || state === 'deleted').length
  return { found: found.length, remediated, at: last.illAt!.toISOString() }
}
