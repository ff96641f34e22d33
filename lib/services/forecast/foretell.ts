import { db, type Tx } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { planOf, type Plan, type Planned } from './plan'

const FATES = `
UPDATE machine_progress SET predicted = CASE
  WHEN machine_name = ANY($2) THEN 'in-place' WHEN machine_name = ANY($3) THEN 'replace' ELSE 'up-to-date' END
WHERE change_id = $1::uuid AND state IN ('waiting', 'done') AND finished_at IS NULL`

/** Began to go in the rollout, and not by remediation, which is no part of any plan. */
const GONE = { startedAt: { not: null }, illAt: null }

/** `goneBefore`: machines of the change that its rollout had deleted by then, and that its plan counts no more. */
export type Foretold = Planned & { goneBefore: number }

/** What is foretold of a change as somebody is about to approve it. That nothing can be foretold keeps nobody from it. */
export async function foretell(changeId: string, way: Plan['way']): Promise<Foretold | null> {
  const change = await db().change.findUnique({ where: { id: changeId } })
  try {
    // Before it is foretold: what goes meanwhile counts with the plan, and never twice.
    const goneBefore = await db().machineProgress.count({ where: { changeId, state: 'deleted', ...GONE } })
    const planned = change && (await planOf(change, way))
    // Of what does not go on by itself, most is not foretold: somebody deletes, something comes back, or a date comes.
    return planned && planned.plan.ends !== null && !planned.plan.notBefore ? { ...planned, goneBefore } : null
  } catch (err) {
    log().warn({ err, change: changeId }, 'what an approval would do could not be foretold')
    return null
  }
}

/** Keeps what was foretold with the decision and with each machine, to be compared with what happens. */
export async function keepForetold(tx: Tx, decisionId: string, changeId: string, foretold: Foretold): Promise<void> {
  const { before, ties, goneBefore } = foretold
  const kept = { createdBefore: before.created, goneBefore, ...(ties.length > 0 ? { ties } : {}) }
  const plan = { ...foretold.plan, ...kept } as unknown as Prisma.InputJsonValue
  await tx.decision.update({ where: { id: decisionId }, data: { plan } })
  await tx.$executeRawUnsafe(FATES, changeId, foretold.updated, foretold.deleted)
}

const DROPPED = `
UPDATE machine_progress p SET predicted = (
  SELECT CASE $2 WHEN 'replace' THEN $2 ELSE coalesce(m.verdict, $2) END FROM change c JOIN machine m ON m.id = p.machine_id
  WHERE c.id = p.change_id AND c.steps IS NOT NULL AND NOT m.deleting)
WHERE p.change_id = $1::uuid AND p.state = 'waiting' AND p.started_at IS NULL`

/**
 * Decided anew, and nothing is foretold of that: what was foretold of the way before says nothing of what has not begun. Machine by
 * machine the way that was decided stands there: by it what is there is told from what will be made, and no step would be done else.
 */
export async function dropForetold(tx: Tx, changeId: string, way: Plan['way']): Promise<void> {
  await tx.$executeRawUnsafe(DROPPED, changeId, way)
}
