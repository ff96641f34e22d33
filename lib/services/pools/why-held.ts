import { db } from '@/lib/db/client'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import type { ListedStanding } from '../changes/listed-standing'
import { ServiceError } from '../errors'
import { notLookedAt } from './not-looked-at'
import { notNow } from './not-now'
import { openChanges } from './open-change'

/**
 * A pool whose configuration waits for approval, must not go on now, or was not looked at yet, is let go by approving that, and in no other way: why it may not
 * be resumed; null: it may. `live`: the pool as it is.
 */
export async function whyHeld(
  clusterId: string,
  id: string,
  name: string,
  live: KubeObject,
  client: KubeClient,
): Promise<ServiceError | null> {
  const waits = await db().change.findFirst({
    where: { clusterId, groupId: id, state: { in: ['waiting', 'rejected'] } },
    select: { id: true, summary: true },
  })
  const row = await db().group.findUnique({ where: { id, clusterId }, select: { governed: true } })
  if (!(HELD in (live.metadata.annotations ?? {})) && !(row?.governed && waits))
    return row?.governed ? ((await notNow(clusterId, id, live)) ?? notLookedAt(clusterId, id, live, client)) : null
  const change = waits && (await openChanges([{ id, clusterId }])).get(id)
  if (change?.standing && !change.asks) return itsTime(name, change.summary, change.standing)
  return new ServiceError(
    'conflict',
    `A configuration of ${name} waits for approval${waits ? ` (${waits.summary})` : ''}: resuming would let it go.`,
    {
      hint: 'Approve it on the page Updates. What Drydock paused is resumed with that; a pause of your own can be ended then.',
    },
  )
}

/** Nobody has to approve anything: whoever resumes it now is ahead of its policies. */
function itsTime(name: string, summary: string, { due, timing }: ListedStanding): ServiceError {
  const opens = timing.opens ? `, which is not before ${timing.opens.slice(0, 10)}` : ''
  return new ServiceError(
    'conflict',
    `A configuration of ${name} ${due ? 'is approved' : 'needs no approval'} and waits until its policies let it go${opens} (${summary}): resuming would let it go now.`,
    {
      hint: 'Change its policies, its window or its wave where that is too late. What Drydock paused is resumed when it goes; a pause of your own can be ended then.',
    },
  )
}
