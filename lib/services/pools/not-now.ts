import { db } from '@/lib/db/client'
import type { Change as Row } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import type { Approval, Resolved } from '@/lib/domain/policies'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approvalsWhere } from '../changes/approvals'
import { atOnceIn, countsNoMore } from '../changes/counts-no-more'
import { moreAtOnceWords } from '../changes/give-approval'
import { LETS_GO, UNDER_WAY } from '../changes/states'
import { begunBy } from '../changes/take-back'
import { ServiceError } from '../errors'
import { authorOf } from '../policies/author'
import { rulesForAll, type Governed } from '../policies/rules-for'
import { closedWords, TIMED, timingOf, timingUnderWay } from '../policies/timing'

/**
 * What was let go, and must not go on at this moment: somebody took their approval back, or paused it, it stopped by itself, or its time is
 * over, or nothing of it has begun and its approvals count no more; and no worker has held its pool for that yet. Null: nothing says so.
 * What cannot be known holds. `live`: the pool as it is.
 */
export async function notNow(clusterId: string, groupId: string, live: KubeObject): Promise<ServiceError | null> {
  const { name } = live.metadata
  const change = await db().change.findFirst({
    where: { clusterId, groupId, state: { in: UNDER_WAY }, settling: false },
    orderBy: { detectedAt: 'desc' },
    select: {
      ...{ clusterId: true, groupKind: true, groupName: true, namespace: true, workloadCluster: true },
      ...{ id: true, summary: true, author: true, state: true, ...TIMED },
    },
  })
  if (!change) return null
  const rules = (await rulesForAll(db(), [change]))[0]!
  if (rules instanceof ServiceError) return rules
  const now = await databaseNow(db())
  // What has begun goes on in whatever wave it comes to be, at its time.
  const timing = change.state === 'approved' ? timingOf(rules, change, now) : timingUnderWay(rules, change, now)
  if (timing.open) return countsNoMoreNow(change, rules, live, now)
  return new ServiceError(
    'conflict',
    `What ${name} was let go with does not go on now (${change.summary}): ${closedWords(timing)}. Resuming the pool would let it go on.`,
    {
      hint: 'Look at its page, where it is resumed or approved, or wait for its time. A pause of your own can be ended then.',
    },
  )
}

type Change = Governed & Pick<Row, 'id' | 'summary' | 'author'>

/** It lies below somebody's own pause, and would begin as it was not approved. */
async function countsNoMoreNow(
  { id, summary, author }: Change,
  rules: Resolved,
  live: KubeObject,
  now: Date,
): Promise<ServiceError | null> {
  const where = { changeId: id, ...LETS_GO }
  const decision = await db().decision.findFirst({ where, orderBy: { recordedAt: 'desc' } })
  if (!decision || (await begunBy(db(), id, decision.id))) return null
  const [mode, pool] = [decision.mode as Approval['mode'], atOnceIn(live)]
  const given = await approvalsWhere(db(), { decisionId: decision.id })
  const why = countsNoMore({ given, mode, rules, author: await authorOf(db(), author), pool }, now)
  if (!why) return null
  const { name } = live.metadata
  return new ServiceError(
    'conflict',
    why === 'expired'
      ? `What ${name} was let go with has not begun, and its approval expired meanwhile (${summary}): resuming would let it go unapproved.`
      : `What ${name} was let go with has not begun (${summary}). ${moreAtOnceWords(pool.limit)} Resuming would let that go unapproved.`,
    {
      hint: 'A worker of Drydock holds the pool again within moments: approve it anew on the page Updates. A pause of your own can be ended then.',
    },
  )
}
