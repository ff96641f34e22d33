import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { rulesFor } from '../policies/rules-for'
import { closedWords, timingOf, UNTIMED } from '../policies/timing'
import { goWhenDue } from './go-when-due'
import { lockChange } from './lock-change'
import { OverrideInput, RestoreTimesInput } from './schemas'

const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']

/**
 * Lets one change go outside its windows and freezes, by a named person and with a reason. It takes the place of no
 * approval; what is approved already goes at once.
 */
export async function overrideTimes(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:override')
  const { changeId, fingerprint, reason } = parseInput(OverrideInput, input)
  await db().$transaction(async (tx) => {
    const change = await locked(tx, changeId)
    if (change.fingerprint !== fingerprint)
      throw new ServiceError('conflict', 'The desired state changed while you were looking at it.', {
        hint: 'Look at what it is now, and decide again.',
      })
    const timing = timingOf(await rulesFor(tx, change), { ...UNTIMED, overrideAt: change.overrideAt })
    if (timing.open) throw new ServiceError('conflict', 'Nothing but approvals holds it: its time is now.')
    const overridden = { overrideBy: ctx.actor.name, overrideReason: reason, overrideAt: new Date() }
    await tx.change.update({ where: { id: changeId }, data: overridden })
    await record(tx, ctx, change, 'change.override', reason, { was: closedWords(timing) })
  })
  // Whoever overrides is told that; what is due goes with the worker's next look at the latest.
  await goWhenDue(changeId).catch((error: unknown) => {
    log().warn({ err: error, changeId }, 'a change that was let go outside its times could not go at once')
  })
}

/** Its windows and freezes hold it again; what has begun is finished. */
export async function restoreTimes(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:override')
  const { changeId } = parseInput(RestoreTimesInput, input)
  await db().$transaction(async (tx) => {
    const change = await locked(tx, changeId)
    if (!change.overrideAt) throw new ServiceError('conflict', 'Its windows and freezes hold it already.')
    const none = { overrideBy: null, overrideReason: null, overrideAt: null }
    await tx.change.update({ where: { id: changeId }, data: none })
    await record(tx, ctx, change, 'change.override-ended', null, { by: change.overrideBy })
  })
}

async function locked(tx: Tx, changeId: string): Promise<Change & { cluster: { name: string } }> {
  const known = await tx.change.findUnique({ where: { id: changeId }, select: { clusterId: true } })
  if (!known) throw new ServiceError('not-found', 'There is no such change.')
  await requireConnected(tx, known.clusterId)
  await lockChange(tx, changeId)
  const change = await tx.change.findUnique({
    where: { id: changeId },
    include: { cluster: { select: { name: true } } },
  })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  if (!OPEN.includes(change.state)) throw new ServiceError('conflict', 'This change is over.')
  return change
}

async function record(
  tx: Tx,
  ctx: Ctx,
  change: Change & { cluster: { name: string } },
  action: string,
  reason: string | null,
  details: Record<string, string | null>,
): Promise<void> {
  await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
  await recordAudit(tx, ctx, {
    ...{ action, reason, details: { summary: change.summary, ...details } },
    target: { kind: change.groupKind, id: change.id, name: `${change.namespace}/${change.groupName}` },
    cluster: { id: change.clusterId, name: change.cluster.name },
  })
}
