import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { recordAudit, type AuditEntry } from '../audit/record'
import { systemCtx } from '../context'
import type { ActionKind } from './kind'
import { kindOf } from './kinds'
import { overtakenBy } from './overtaken-by'

/**
 * Third tick: the watch shows the object as it was asked for, and whoever it is for has taken it up; or somebody wrote over it
 * before, and there is nothing left to wait for. Called after every write of the rows that show it and after every accepted action,
 * since the watch may be faster than the patch's own answer.
 */
export async function markActionsSeen(clusterId: string, kind: string): Promise<void> {
  const accepted = await db().openShiftAction.findMany({
    where: { clusterId, kind, state: 'accepted' },
    include: { cluster: { select: { name: true } } },
  })
  for (const { cluster, ...row } of accepted) {
    const of = kindOf(row.kind)
    const shown = (await isOvertaken(row)) ? null : await of.seen(row)
    const end = (as: End) => ended(row, of, cluster.name, as)
    if (shown) {
      await end({ state: 'seen', data: { seenAt: new Date() }, told: shown })
      continue
    }
    const answer = isToAsk(row) ? await overtakenBy(row, of) : null
    if (answer) await end({ state: 'overtaken', data: { error: answer }, told: { answer } })
  }
}

/** When each was asked about last, in ms. */
const asked = new Map<string, number>()
const MOST_MS = 30 * 60_000

/** The API server is asked about what was just accepted, and ever less often about what nobody takes up. */
function isToAsk({ id, acceptedAt }: OpenShiftAction): boolean {
  const now = Date.now()
  const age = now - (acceptedAt?.getTime() ?? now)
  if (now - (asked.get(id) ?? 0) < Math.min(MOST_MS, age / 20)) return false
  asked.set(id, now)
  return true
}

interface End {
  state: 'seen' | 'overtaken'
  data: { seenAt?: Date; error?: string }
  told: Pick<AuditEntry, 'answer' | 'details'>
}

async function ended(row: OpenShiftAction, kind: ActionKind, cluster: string, { state, data, told }: End) {
  const { id, clusterId } = row
  await db().$transaction(async (tx) => {
    const { count } = await tx.openShiftAction.updateMany({
      where: { id, state: 'accepted' },
      data: { state, ...data },
    })
    if (count === 0) return
    asked.delete(id)
    await announce(tx, { topic: kind.topic, cluster: clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('watch'), {
      action: `${kind.audit}.${state}`,
      target: { kind: kind.objectKind, id, name: kind.target(row.target).name },
      cluster: { id: clusterId, name: cluster },
      ...told,
    })
  })
}

/** What a newer one on the same object has overtaken will not be seen any more. */
async function isOvertaken({ clusterId, kind, target, recordedAt }: OpenShiftAction): Promise<boolean> {
  const state = { in: ['accepted', 'seen'] }
  const where = { clusterId, kind, target, state, recordedAt: { gt: recordedAt } }
  return (await db().openShiftAction.count({ where })) > 0
}
