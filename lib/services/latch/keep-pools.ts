import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { bearsOurMark } from '@/lib/domain/latch/diff'
import { LATCHED_POOL } from '@/lib/domain/latch/table'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import type { LatchTarget } from './target'

/**
 * Nobody chose how pools are held, and they are latched: by a Drydock that asked nobody, or before there was another way. That is
 * their choice from now on, so that whatever is said of them is what holds them. Whoever wants another way says so, or takes the
 * latch away; nobody else does. True: the target is to be read anew.
 */
export async function keepPools(
  { cluster: { id, name, latchForm, policy }, apart, pools }: LatchTarget,
  found: readonly KubeObject[],
): Promise<boolean> {
  if (latchForm === 'none' || pools === null || policy?.pools) return false
  const latched = found.some((object) => object.metadata.name === LATCHED_POOL.policy && bearsOurMark(object))
  // Of pools alone there is no other way while what is installed latches.
  if (pools === 'pausing' && !(apart && latched)) return false
  await db().$transaction(async (tx) => {
    // Locked before it is asked whether the latch is still installed: whoever removes it takes the choice back after this, or did.
    const unchosen = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM policy WHERE cluster_id = ${id}::uuid AND pools IS NULL FOR UPDATE`
    const installed = await tx.managementCluster.count({ where: { id, latchForm: { not: 'none' } } })
    if (unchosen.length === 0 || installed === 0) return
    const data = { pools: 'same-write' }
    await tx.policy.update({ where: { clusterId: id }, data: { ...data, version: { increment: 1 } } })
    await announce(tx, { topic: 'clusters', cluster: id })
    await recordAudit(tx, systemCtx('latch-keeper'), {
      action: 'policy.changed',
      target: { kind: 'Policy', id, name },
      cluster: { id, name },
      reason: 'Its pools were latched in the same write before that could be chosen: they stay so.',
      details: data,
    })
  })
  return true
}
