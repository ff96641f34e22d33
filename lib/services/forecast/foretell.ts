import { db, type Tx } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { log } from '@/lib/log'
import { planOf, type Plan, type Planned } from './plan'

const FATES = `
UPDATE machine_progress SET predicted = CASE
  WHEN machine_name = ANY($2) THEN 'in-place' WHEN machine_name = ANY($3) THEN 'replace' ELSE 'up-to-date' END
WHERE change_id = $1::uuid AND state IN ('waiting', 'done') AND finished_at IS NULL`

/** What is foretold of a change as somebody is about to approve it. That nothing can be foretold keeps nobody from it. */
export async function foretell(changeId: string, way: Plan['way']): Promise<Planned | null> {
  const change = await db().change.findUnique({ where: { id: changeId } })
  try {
    const planned = change && (await planOf(change, way))
    // Of what does not go on by itself, most is not foretold: somebody deletes, something comes back, or a date comes.
    return planned && planned.plan.ends !== null && !planned.plan.notBefore ? planned : null
  } catch (err) {
    log().warn({ err, change: changeId }, 'what an approval would do could not be foretold')
    return null
  }
}

/** Keeps what was foretold with the decision and with each machine, to be compared with what happens. */
export async function keepForetold(tx: Tx, decisionId: string, changeId: string, foretold: Planned): Promise<void> {
  const { before, ties } = foretold
  const kept = { createdBefore: before.created, ...(ties.length > 0 ? { ties } : {}) }
  const plan = { ...foretold.plan, ...kept } as unknown as Prisma.InputJsonValue
  await tx.decision.update({ where: { id: decisionId }, data: { plan } })
  await tx.$executeRawUnsafe(FATES, changeId, foretold.updated, foretold.deleted)
}
