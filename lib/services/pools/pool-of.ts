import { db } from '@/lib/db/client'
import { ServiceError } from '../errors'
import { whyNeverPaused } from '../openshift/kinds/pool'

/** A pool that may be paused and resumed from here, or a sentence that says why it may not. */
export async function actablePool(id: string) {
  const row = await db().configPool.findUnique({ where: { id }, include: { cluster: { select: { name: true } } } })
  if (!row)
    throw new ServiceError('not-found', 'This pool is gone.', {
      hint: 'It was deleted in its cluster, or the cluster was disconnected.',
    })
  return row
}

/** Never the control plane's: whoever must does that with kubectl, knowing what for. */
export function requirePausable(name: string): void {
  const why = whyNeverPaused(name)
  if (why) throw new ServiceError('invalid', why)
}
