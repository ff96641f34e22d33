import { db } from '@/lib/db/client'
import { namesImage, sameButImage } from '@/lib/domain/latch/digest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readPool } from '@/lib/providers/openshift/pools'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { lockChange } from '@/lib/services/changes/lock-change'
import { UNDER_WAY } from '@/lib/services/changes/states'
import { isAsRead } from '../planner/as-read'
import { owned, type Row } from '../planner/common'
import { end, recordEnd } from '../planner/end'
import type { ClusterView } from '../types'

type Begun = Pick<Row, 'id' | 'digest' | 'changeSet'>

/** The pool wants again what its nodes had before a change of which no node has begun: none of them moved. */
export async function beganNowhere(pool: KubeObject, digest: string, change: Begun): Promise<boolean> {
  if (change.digest === digest) return false
  // Which image is built may only have come to be known, or not be known any more.
  if (sameButImage(change.digest, digest) && !(namesImage(change.digest) && namesImage(digest))) return false
  const { pairs } = changeSetOf(change)
  const { desiredConfig } = readPool(pool)
  if (pairs.length === 0 || pairs.some(({ from }) => from !== desiredConfig)) return false
  return (await db().machineProgress.count({ where: { changeId: change.id, startedAt: { not: null } } })) === 0
}

/** It was let go, began nowhere, and is over by that. False: it is none such; 'later': it is to be looked at anew. */
export async function takenBack(
  view: ClusterView,
  pool: KubeObject,
  digest: string,
  open: Row | null,
): Promise<boolean | 'later'> {
  if (!open || !UNDER_WAY.includes(open.state) || !(await beganNowhere(pool, digest, open))) return false
  const ended = await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    if (!(await isAsRead(tx, open))) return false
    await end(tx, view, open, 'reverted')
    await recordEnd(tx, view, open, 'taken-back')
    return true
  })
  return ended || 'later'
}
