import type { Tx } from '@/lib/db/client'
import { OPEN_SQL } from '../changes/states'
import { anyPolicySays } from '../policies/rules-for'
import { keptMembership } from './membership'
import { runsNow, type Run } from './runs'

/** What groups want by their newest changes, where these are not over: each has a run. */
const WANTED = `
SELECT c.group_id::text AS "groupId", c.wish FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.state IN (${OPEN_SQL}) AND c.wish IS NOT NULL AND NOT EXISTS (SELECT 1 FROM change newer
  WHERE newer.group_id = c.group_id
    AND (newer.detected_at > c.detected_at OR newer.detected_at = c.detected_at AND newer.id < c.id))`

/** The run that a change is in, if it is in one, and how many there are in all: without looking at the others. */
export async function runOfChange(tx: Tx, changeId: string): Promise<{ found: Run[]; all: number }> {
  const wanted = (await anyPolicySays(tx, 'waves'))
    ? await tx.$queryRawUnsafe<{ groupId: string; wish: string }[]>(WANTED)
    : []
  if (wanted.length === 0) return { found: [], all: 0 }
  const membership = await keptMembership(tx)
  const policyOf = new Map(
    membership.waved.flatMap(({ policy, groups }) => groups.map(({ id }) => [id, policy.id] as const)),
  )
  const runs = new Set(
    wanted.flatMap(({ groupId, wish }) => (policyOf.has(groupId) ? [`${policyOf.get(groupId)} ${wish}`] : [])),
  )
  const of = await tx.change.findUnique({ where: { id: changeId }, select: { groupId: true, wish: true } })
  const policyId = of && policyOf.get(of.groupId)
  const found =
    policyId && of.wish !== null && runs.has(`${policyId} ${of.wish}`)
      ? await runsNow(tx, () => Promise.resolve(membership), { policyId, wish: of.wish })
      : []
  return {
    // One that a newer one took the place of is in none.
    found: found.filter(({ members }) => members.some(({ change }) => change?.id === changeId)),
    all: runs.size,
  }
}
