import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { OpenShiftAction, Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, requireSome, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { actionDto, cancelledWords, type ActionDto, type ActionStep } from './action-row'
import { attemptsAt, mayBeStored, stepsOf } from './row-steps'
import { applyOrLeave } from './apply-action'
import { kindOf, kinds } from './kinds'
import { onlyOne } from './only-one'
import { readTarget } from './read-target'
import { CancelInput } from './schemas'
import { requireNewest } from './supersede'
import { unsureStep, wayBack, type WayBack } from './way-back'
import { isGone } from './what-stands'

/**
 * Ends an action that waits, failed or was not begun. What is stored of it stays, or is taken back with one more patch, which
 * is the action's last step: where that fails it can be retried as any other.
 */
export async function cancelAction(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requireSome(
    ctx,
    [...kinds.values()].map((kind) => kind.permission),
  )
  const { actionId, takeBack, ...anew } = parseInput(CancelInput, input)
  const row = await db().openShiftAction.findUnique({ where: { id: actionId }, include: { cluster: true } })
  if (!row) throw new ServiceError('not-found', 'There is no such action.')
  const kind = kindOf(row.kind)
  requirePermission(ctx, kind.permission)
  const target = kind.target(row.target)
  const way = takeBack ? await wayNow(row, anew.resourceVersion !== undefined) : null
  const data = way ? takingBack(row, way, anew) : leaving(row)
  await onlyOne(row.clusterId, row.target, target.words, () =>
    db().$transaction(async (tx) => {
      if (takeBack) {
        await requireConnected(tx, row.clusterId)
        await requireNewest(tx, row, target.words)
      }
      const { count } = await tx.openShiftAction.updateMany({
        where: { id: actionId, step: row.step, state: { in: ['waiting', 'failed', 'recorded'] } },
        data: { ...data, claimedBy: null, claimedUntil: null, waitsSince: null },
      })
      if (count === 0) throw notNow(row)
      await announce(tx, { topic: kind.topic, cluster: row.clusterId, ids: [actionId] })
      await recordAudit(tx, ctx, {
        action: `${kind.audit}.${takeBack ? 'take-back' : 'cancelled'}`,
        target: { kind: kind.objectKind, id: actionId, name: target.name },
        cluster: { id: row.clusterId, name: row.cluster.name },
        details: {
          stored: storedIn(way?.steps ?? stepsOf(row)),
          steps: stepsOf(row).filter((step) => !step.cancels).length,
        },
      })
    }),
  )
  if (takeBack) await applyOrLeave(actionId, `cancel:${actionId}`, ctx)
  return actionDto(await db().openShiftAction.findUniqueOrThrow({ where: { id: actionId } }))
}

function notNow({ state }: Pick<OpenShiftAction, 'state'>): ServiceError {
  if (['accepted', 'seen', 'cancelled', 'superseded', 'overtaken'].includes(state))
    return new ServiceError('conflict', 'There is nothing left to cancel: the action is over.')
  return new ServiceError('conflict', 'A step of it is being applied right now.', {
    hint: 'Wait a moment, then look where it stands.',
  })
}

type Update = Prisma.OpenShiftActionUpdateManyMutationInput
const json = (steps: ActionStep[]) => steps as unknown as Prisma.InputJsonValue

/** Steps that were not made, and will not be. */
const left = (steps: ActionStep[]): ActionStep[] =>
  steps.map((step) => (step.state === 'stored' ? step : { ...step, state: 'left' }))

/** What a failed step says of those before it, and to do: that is said anew, and done with. */
const STANDS = /\s*\bOf its \d+ steps [^.:]*(?:: look again and decide again)?\./

function leaving(row: OpenShiftAction): Update {
  const steps = stepsOf(row)
  const before = row.state === 'failed' ? (row.error ?? '') : ''
  const rest = before.replace(STANDS, '')
  const unknown = rest && ` Before that: ${rest}`
  const stored = storedIn(steps)
  const stands = mayBeStored(row)
    ? 'Cancelled. Whether its last step is stored is not known: look how the object stands.'
    : stored === 0
      ? 'Cancelled before anything was stored.'
      : cancelledWords(steps, isGone(row) ? 'gone' : 'left')
  return { state: 'cancelled', steps: json(left(steps)), error: stands + unknown }
}

const storedIn = (steps: ActionStep[]): number => steps.filter((step) => step.state === 'stored').length

/** Where its last step may be stored, the object says whether it is: what is sent is made for the state that was looked at then. */
async function wayNow(row: OpenShiftAction, isLooked: boolean): Promise<WayBack> {
  const unsure = wayBack(row).back !== null && unsureStep(row) >= 0
  if (unsure && !isLooked)
    throw new ServiceError('invalid', 'Whether its last step is stored is not known.', {
      hint: 'Look at what would be taken back first.',
    })
  const kind = kindOf(row.kind)
  const now = unsure && (await readTarget(await kubeClientFor(row.clusterId), kind, kind.target(row.target)))
  return wayBack(row, now || undefined)
}

function takingBack(
  row: OpenShiftAction,
  { back, steps: made }: WayBack,
  anew: { resourceVersion?: string; generation?: number; uid?: string },
): Update {
  if (!back)
    throw new ServiceError('invalid', 'There is nothing to take back, or no way back.', {
      hint: 'Cancel it and leave what is stored.',
    })
  const steps = [...left(made), { ...back, state: 'open' as const, at: null, cancels: true as const }]
  const step = steps.length - 1
  return {
    ...{ state: 'recorded', steps: json(steps), step, attempts: attemptsAt(row, step), error: null },
    ...(anew.resourceVersion && { resourceVersion: anew.resourceVersion, generation: anew.generation ?? null }),
    ...(anew.uid && { uid: anew.uid }),
  }
}
