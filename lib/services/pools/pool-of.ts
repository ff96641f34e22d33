import { db } from '@/lib/db/client'
import { notPausable } from '@/lib/domain/pools/pause-risk'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { poolKind, poolTarget } from '../openshift/kinds/pool'
import { notRead, readTarget } from '../openshift/read-target'
import { whyHeld } from './why-held'

/** A pool that may be paused and resumed from here, or a sentence that says why it may not. */
export async function actablePool(id: string) {
  const row = await db().configPool.findUnique({ where: { id }, include: { cluster: { select: { name: true } } } })
  if (!row)
    throw new ServiceError('not-found', 'This pool is gone.', {
      hint: 'It was deleted in its cluster, or the cluster was disconnected.',
    })
  return row
}

/** Asked of the API server itself: a hold that comes between this and the write makes another state of it. */
export async function requireNotHeld(clusterId: string, id: string, name: string): Promise<void> {
  const client = await kubeClientFor(clusterId)
  const target = poolKind.target(poolTarget(name))
  const live = await readTarget(client, poolKind, target)
  const held = await whyHeld(clusterId, id, name, live, client).catch((error: unknown) =>
    notRead(error, client, poolKind, target),
  )
  if (held) throw held
}

/** Never the control plane's: whoever must does that with kubectl, knowing what for. */
export function requirePausable(name: string): void {
  const why = notPausable({ name })
  if (why) throw new ServiceError('invalid', why)
}
