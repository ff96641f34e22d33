import { namedIn } from '@/lib/kubernetes/paths'
import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { goWhenDue } from './go-when-due'
import { lockChange } from './lock-change'
import { OPEN } from './states'

export type OpenChange = Change & { cluster: { name: string } }

/** A change that is not over, locked. */
export async function lockOpen(tx: Tx, changeId: string): Promise<OpenChange> {
  const change = await lockKnown(tx, changeId)
  if (!OPEN.includes(change.state)) throw new ServiceError('conflict', 'This change is over.')
  return change
}

/** A change, also one that is over, locked; the cluster before it, as whoever disconnects does. */
export async function lockKnown(tx: Tx, changeId: string): Promise<OpenChange> {
  const known = await tx.change.findUnique({ where: { id: changeId }, select: { clusterId: true } })
  if (!known) throw new ServiceError('not-found', 'There is no such change.')
  await requireConnected(tx, known.clusterId)
  await lockChange(tx, changeId)
  const change = await tx.change.findUnique({
    where: { id: changeId },
    include: { cluster: { select: { name: true } } },
  })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  return change
}

/** What somebody did to it, for everybody who looks, and on record; last in its transaction. */
export async function recordOn(
  tx: Tx,
  ctx: Ctx,
  change: OpenChange,
  action: string,
  reason: string | null,
  details: Record<string, string | null> = {},
): Promise<void> {
  await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
  await recordAudit(tx, ctx, {
    ...{ action, reason, details: { summary: change.summary, ...details } },
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: change.clusterId, name: change.cluster.name },
  })
}

/** What is due goes at once; whatever stands against that, the worker looks again in a moment. */
export async function goNow(changeId: string): Promise<void> {
  await goWhenDue(changeId).catch((error: unknown) => {
    log().warn({ err: error, changeId }, 'a change that is due could not go at once; the worker takes it up')
  })
}
