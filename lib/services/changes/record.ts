import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import type { Ctx } from '../context'
import { foretell, keepForetold } from '../forecast/foretell'
import { ServiceError } from '../errors'
import { applyOrLeave } from './apply'
import { rememberedOtherwise } from './cannot-be'
import { changeSetOf, decisionDto, outlookIn, type DecisionDto, type DecisionMode } from './change-row'
import { requireTypedName } from './typed-name'

export interface Wish {
  changeId: string
  fingerprint: string
  mode: DecisionMode
  reason?: string
  typedName?: string
}

const OPEN = ['waiting', 'rejected']

/** Writes the decision and its audit event in one transaction, bound to the change that was looked at; then applies it. */
export async function recordAndApply(ctx: Ctx, wish: Wish): Promise<DecisionDto> {
  const id = randomUUID()
  await requireNotRemembered(wish)
  const foretold = wish.mode === 'reject' ? null : await foretell(wish.changeId, wish.mode)
  await db().$transaction(async (tx) => {
    const change = await tx.change.findUnique({
      where: { id: wish.changeId },
      include: { cluster: { include: { policy: true } } },
    })
    if (!change) throw new ServiceError('not-found', 'There is no such change.')
    await requireConnected(tx, change.clusterId)
    if (change.cluster.policy?.reasonNeeded && !wish.reason)
      throw new ServiceError('invalid', 'The policy of this management cluster asks for a reason.', {
        fields: [{ field: 'reason', message: 'Say why.' }],
      })
    if (change.fingerprint !== wish.fingerprint)
      throw new ServiceError('conflict', 'The desired state changed while you were looking at it.', {
        hint: 'Look at what it is now, and decide again.',
      })
    if (wish.mode === 'in-place' && outlookIn(change).inPlace === null)
      throw new ServiceError(
        'invalid',
        `This cannot be done in place: ${outlookIn(change).whyNotInPlace ?? 'nobody covers it.'}`,
        {
          hint: 'Approve replacing, or configure an updater that covers the change.',
        },
      )
    const missing = changeSetOf(change).pairs.find((pair) => pair.missing)?.missing
    if (wish.mode !== 'reject' && missing)
      throw new ServiceError(
        'conflict',
        `The template ${missing} does not exist: Cluster API would not move anything, or nobody knows what.`,
        {
          hint: 'Create it (again); the change is then shown with what it brings.',
        },
      )
    requireTypedName(change, wish.mode, wish.typedName)
    const allowed = wish.mode === 'reject' ? ['waiting'] : OPEN
    const taken = await tx.change.updateMany({
      where: { id: change.id, fingerprint: wish.fingerprint, state: { in: allowed } },
      data: { state: wish.mode === 'reject' ? 'rejected' : 'approved' },
    })
    if (taken.count === 0) {
      const { state } = await tx.change.findUniqueOrThrow({ where: { id: change.id }, select: { state: true } })
      throw tooLate(state)
    }
    await tx.decision.updateMany({
      where: { changeId: change.id, state: { in: ['recorded', 'applying', 'accepted', 'seen', 'failed'] } },
      data: { state: 'voided', claimedUntil: null },
    })
    await tx.decision.create({
      data: {
        id,
        changeId: change.id,
        fingerprint: wish.fingerprint,
        mode: wish.mode,
        actorId: ctx.actor.id,
        actorName: ctx.actor.name,
        reason: wish.reason ?? null,
      },
    })
    if (foretold) await keepForetold(tx, id, change.id, foretold)
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
    await recordAudit(tx, ctx, {
      action: wish.mode === 'reject' ? 'change.rejected' : 'change.approved',
      target: { kind: change.groupKind, id: change.id, name: `${change.namespace}/${change.groupName}` },
      cluster: { id: change.clusterId, name: change.cluster.name },
      reason: wish.reason ?? null,
      details: { decision: id, mode: wish.mode, fingerprint: wish.fingerprint, summary: change.summary },
    })
  })
  await applyOrLeave(id, `verb:${id}`, ctx)
  return decisionDto(await db().decision.findUniqueOrThrow({ where: { id } }))
}

function tooLate(state: string): ServiceError {
  if (state === 'reverted') return new ServiceError('conflict', 'It was changed back: nothing is left to decide.')
  if (state === 'superseded')
    return new ServiceError('conflict', 'This change is over: a newer one took its place, or the group is gone.', {
      hint: 'The page of the change says which.',
    })
  return new ServiceError('conflict', `Somebody was faster: this change is ${state} by now.`, {
    hint: 'Reload the page to see who decided what.',
  })
}

/** Asked again right before anything is released: here, it is known before anything is recorded. */
async function requireNotRemembered({ changeId, mode }: Wish): Promise<void> {
  if (mode === 'reject') return
  const change = await db().change.findUnique({ where: { id: changeId } })
  const other = change && (await rememberedOtherwise(mode, change))
  if (other) throw new ServiceError('conflict', other)
}
