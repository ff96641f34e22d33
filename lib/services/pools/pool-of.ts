import { db } from '@/lib/db/client'
import { HELD } from '@/lib/domain/latch/names'
import { notPausable } from '@/lib/domain/pools/pause-risk'
import { kubeClientFor } from '../clusters/connection'
import type { ListedStanding } from '../changes/listed-standing'
import { ServiceError } from '../errors'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { readTarget } from '../openshift/read-target'
import { openChanges } from './open-change'

/** A pool that may be paused and resumed from here, or a sentence that says why it may not. */
export async function actablePool(id: string) {
  const row = await db().configPool.findUnique({ where: { id }, include: { cluster: { select: { name: true } } } })
  if (!row)
    throw new ServiceError('not-found', 'This pool is gone.', {
      hint: 'It was deleted in its cluster, or the cluster was disconnected.',
    })
  return row
}

/**
 * A pool whose configuration waits for approval is let go by approving that, and in no other way. Asked of the API server itself:
 * a hold that comes between this and the write makes another state of it.
 */
export async function requireNotHeld(clusterId: string, id: string, name: string): Promise<void> {
  const client = await kubeClientFor(clusterId)
  const live = await readTarget(client, poolKind, poolKind.target(poolTarget(name)))
  const waits = await db().change.findFirst({
    where: { clusterId, groupId: id, state: { in: ['waiting', 'rejected'] } },
    select: { id: true, summary: true },
  })
  const row = await db().group.findUnique({ where: { id }, select: { governed: true } })
  if (!(HELD in (live.metadata.annotations ?? {})) && !(row?.governed && waits)) return
  const change = waits && (await openChanges([{ id, clusterId }])).get(id)
  if (change?.standing && !change.asks) throw itsTime(name, change.summary, change.standing)
  throw new ServiceError(
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

/** Never the control plane's: whoever must does that with kubectl, knowing what for. */
export function requirePausable(name: string): void {
  const why = notPausable({ name })
  if (why) throw new ServiceError('invalid', why)
}
