import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { UNDER_WAY } from '../changes/states'
import { ServiceError } from '../errors'
import { rulesForAll } from '../policies/rules-for'
import { closedWords, TIMED, timingOf, timingUnderWay } from '../policies/timing'

/**
 * What was let go, and must not go on at this moment: somebody took their approval back, or paused it, it stopped by itself, or its time is
 * over, and no worker has held its pool for that yet. Null: nothing says so. What cannot be known holds.
 */
export async function notNow(clusterId: string, groupId: string, name: string): Promise<ServiceError | null> {
  const change = await db().change.findFirst({
    where: { clusterId, groupId, state: { in: UNDER_WAY }, settling: false },
    orderBy: { detectedAt: 'desc' },
    select: {
      ...{ clusterId: true, groupKind: true, groupName: true, namespace: true, workloadCluster: true },
      ...{ summary: true, state: true, ...TIMED },
    },
  })
  if (!change) return null
  const rules = (await rulesForAll(db(), [change]))[0]!
  if (rules instanceof ServiceError) return rules
  const now = await databaseNow(db())
  // What has begun goes on in whatever wave it comes to be, at its time.
  const timing = change.state === 'approved' ? timingOf(rules, change, now) : timingUnderWay(rules, change, now)
  if (timing.open) return null
  return new ServiceError(
    'conflict',
    `What ${name} was let go with does not go on now (${change.summary}): ${closedWords(timing)}. Resuming the pool would let it go on.`,
    {
      hint: 'Look at its page, where it is resumed or approved, or wait for its time. A pause of your own can be ended then.',
    },
  )
}
