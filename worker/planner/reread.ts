import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { summaryOf, versionsOf } from '@/lib/domain/changes'
import { wishes } from '@/lib/domain/waves'
import type { Planned } from '@/lib/services/changes/planned'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { lockChange } from '@/lib/services/changes/lock-change'
import type { ClusterView } from '../types'
import { owned, type Row } from './common'
import { LIVE } from '@/lib/services/changes/states'

/**
 * What was wanted is the same as before, and only now can it be read: it stays the change that it was, with the rejection
 * that somebody gave it. Nothing else could be decided about it. Says whether that is so.
 */
export async function reread(view: ClusterView, open: Row, { change, changeSet, outlook }: Planned): Promise<boolean> {
  if (open.digest !== change.digest || !changeSetOf(open).pairs.some(({ unread }) => unread)) return false
  const { fingerprint } = change
  // Still not.
  if (open.fingerprint === fingerprint) return false
  const { from, to } = versionsOf(changeSet.fields)
  return db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    const live = { changeId: open.id, state: { in: LIVE } }
    if ((await tx.decision.count({ where: { ...live, mode: { not: 'reject' } } })) > 0) return false
    const { count } = await tx.change.updateMany({
      where: { id: open.id, state: { in: ['waiting', 'rejected'] }, fingerprint: open.fingerprint },
      data: {
        ...{ fingerprint, summary: summaryOf(changeSet), ...wishes(changeSet), fromVersion: from, toVersion: to },
        wave: Prisma.DbNull,
        ...{ changeSet: json(changeSet), outlook: json(outlook) },
        machines: changeSet.pairs.reduce((sum, pair) => sum + pair.machines, 0),
      },
    })
    if (count === 0) return false
    await tx.decision.updateMany({ where: live, data: { fingerprint } })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    return true
  })
}
