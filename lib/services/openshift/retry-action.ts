import type * as z from 'zod'
import { db } from '@/lib/db/client'
import type { OpenShiftAction, Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, requireSome, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { actionDto, type ActionDto } from './action-row'
import { applyOrLeave } from './apply-action'
import { beforeWayBack } from './before-way-back'
import { shownOf } from './foretold'
import { stepsNow } from './go-on'
import { permissionOf, type ActionKind } from './kind'
import { kindOf, kinds } from './kinds'
import { onlyOne } from './only-one'
import { readTarget } from './read-target'
import { RetryInput } from './schemas'
import { stepsOf } from './row-steps'
import { requireNewest } from './supersede'

/**
 * Goes on with a failed action where it stands, for the very state that was looked at, or was looked at anew: where that has changed,
 * it fails again and says so.
 */
export async function retryAction(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requireSome(
    ctx,
    [...kinds.values()].map((kind) => kind.permission),
  )
  const { actionId, ...anew } = parseInput(RetryInput, input)
  const row = await db().openShiftAction.findUnique({ where: { id: actionId }, include: { cluster: true } })
  if (!row) throw new ServiceError('not-found', 'There is no such action.')
  const kind = kindOf(row.kind)
  requirePermission(ctx, permissionOf(kind, row.action))
  const target = kind.target(row.target)
  // After a way back somebody goes on with either of the two.
  const from = (anew.resourceVersion === undefined ? null : beforeWayBack(row)) ?? row
  const data = anew.resourceVersion === undefined ? {} : await boundAnew(row, kind, anew)
  await onlyOne(row.clusterId, row.target, target.words, () =>
    db().$transaction(async (tx) => {
      await requireConnected(tx, row.clusterId)
      await requireNewest(tx, row, target.words)
      const taken = await tx.openShiftAction.updateMany({
        where: { id: actionId, state: 'failed', step: row.step, attempts: row.attempts },
        data: { ...data, state: 'recorded', claimedBy: null, claimedUntil: null, error: null },
      })
      if (taken.count === 0)
        throw new ServiceError('conflict', 'Only a failed action can be retried; this one has not failed.')
      await announce(tx, { topic: kind.topic, cluster: row.clusterId, ids: [actionId] })
      await recordAudit(tx, ctx, {
        action: `${kind.audit}.retried`,
        target: { kind: kind.objectKind, id: actionId, name: target.name },
        cluster: { id: row.clusterId, name: row.cluster.name },
        details: { did: stepsOf(from)[from.step]?.label },
      })
    }),
  )
  await applyOrLeave(actionId, `retry:${actionId}`, ctx)
  return actionDto(await db().openShiftAction.findUniqueOrThrow({ where: { id: actionId } }))
}

/** What is left of it is made for what is there now; where that is another state than was looked at, the API server refuses it. */
async function boundAnew(
  failed: OpenShiftAction,
  kind: ActionKind,
  { resourceVersion, generation, uid, shown }: Omit<z.infer<typeof RetryInput>, 'actionId'>,
): Promise<Prisma.OpenShiftActionUpdateManyMutationInput> {
  const row = beforeWayBack(failed) ?? failed
  const client = await kubeClientFor(row.clusterId)
  const now = await readTarget(client, kind, kind.target(row.target))
  const steps = await stepsNow(row, kind, client, now)
  const told = await kind.foretells?.(row, now)
  if (told && shownOf(told) !== shown)
    throw new ServiceError('conflict', 'What becomes of the machine sets is something else by now than was shown.', {
      hint: 'Look again at what follows.',
    })
  return {
    ...{ steps: steps as unknown as Prisma.InputJsonValue, resourceVersion, generation: generation ?? null },
    ...{ step: row.step, attempts: row.attempts },
    ...(uid && { uid }),
  }
}
