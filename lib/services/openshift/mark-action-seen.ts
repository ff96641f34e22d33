import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { kindOf } from './kinds'

/**
 * Third tick: the watch shows the object as it was asked for, and whoever it is for has taken it up. Called after every
 * write of the rows that show it and after every accepted action, since the watch may be faster than the patch's own answer.
 */
export async function markActionsSeen(clusterId: string, kind: string): Promise<void> {
  const accepted = await db().openShiftAction.findMany({
    where: { clusterId, kind, state: 'accepted' },
    include: { cluster: { select: { name: true } } },
  })
  for (const { cluster, ...row } of accepted) {
    if (await isOvertaken(row)) continue
    const of = kindOf(row.kind)
    const shown = await of.seen(row)
    if (!shown) continue
    await db().$transaction(async (tx) => {
      const { count } = await tx.openShiftAction.updateMany({
        where: { id: row.id, state: 'accepted' },
        data: { state: 'seen', seenAt: new Date() },
      })
      if (count === 0) return
      await announce(tx, { topic: of.topic, cluster: clusterId, ids: [row.id] })
      await recordAudit(tx, systemCtx('watch'), {
        action: `${of.audit}.seen`,
        target: { kind: of.objectKind, id: row.id, name: of.target(row.target).name },
        cluster: { id: clusterId, name: cluster.name },
        ...shown,
      })
    })
  }
}

/** What a newer one on the same object has overtaken will not be seen any more. */
async function isOvertaken({ clusterId, kind, target, recordedAt }: OpenShiftAction): Promise<boolean> {
  const state = { in: ['accepted', 'seen'] }
  const where = { clusterId, kind, target, state, recordedAt: { gt: recordedAt } }
  return (await db().openShiftAction.count({ where })) > 0
}
