import { db } from '@/lib/db/client'
import { Prisma, type OpenShiftAction } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { cannotWrite } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import { recordAudit } from '../audit/record'
import { discoverAnew } from '../clusters/discover-anew'
import type { Ctx } from '../context'
import { cancelledWords, type ActionState, type ActionStep } from './action-row'
import { callsOf, isAnswerLost, stepsOf, unanswered } from './row-steps'
import { LOOK_FIRST_MS } from './settle-lost'
import type { StepResult } from './attempt-step'
import type { ActionKind } from './kind'

interface Next {
  state: ActionState
  /** Second half of the audit event; null: nothing to tell. */
  event: string | null
  data: Prisma.OpenShiftActionUpdateManyMutationInput
}

/** Whose claim it still is: of that very attempt, whoever else calls himself the same. */
export const heldBy = ({ id, claimedBy, attempts }: OpenShiftAction) => ({ id, state: 'applying', claimedBy, attempts })

/**
 * Writes down what became of a step, and what is next. Null: the claim had run out and another has taken over; that one
 * says what happened.
 */
export async function finishStep(
  row: OpenShiftAction,
  kind: ActionKind,
  ctx: Ctx,
  result: StepResult,
): Promise<ActionState | null> {
  const steps = stepsOf(row)
  const { state, event, data } = nextOf(row, steps, result, await databaseNow(db()))
  return db().$transaction(async (tx) => {
    const { count } = await tx.openShiftAction.updateMany({
      where: heldBy(row),
      data: {
        ...{ state, claimedUntil: null, ...data },
        calls: json([...callsOf(row).filter((made) => made.at), ...result.made]),
      },
    })
    if (count === 0) return null
    if (event === null) return state
    const select = { name: true, discovery: true }
    const cluster = await tx.managementCluster.findUnique({ where: { id: row.clusterId }, select })
    const { resource } = kind.target(row.target)
    const of = { group: resource.group, resource: resource.plural }
    // Given since it was asked what Drydock may do: pages would go on hiding what else there is to do.
    if (result.outcome === 'stored' && cannotWrite(cluster?.discovery as Partial<Capabilities> | null, of))
      discoverAnew(row.clusterId)
    await announce(tx, { topic: kind.topic, cluster: row.clusterId, ids: [row.id] })
    const failed = result.outcome === 'failed' ? result : null
    const answer = result.outcome === 'stored' ? result.answer : (failed?.answer ?? failed?.sentence ?? null)
    const code = result.made.at(-1)?.code ?? failed?.code
    await recordAudit(tx, ctx, {
      action: `${kind.audit}.${event}`,
      target: { kind: kind.objectKind, id: row.id, name: kind.target(row.target).name },
      cluster: cluster && { id: row.clusterId, name: cluster.name },
      result: !failed ? 'ok' : failed.code === null ? 'failed' : 'refused',
      answer,
      details: {
        attempt: row.attempts,
        ...(typeof code === 'number' && { code }),
        ...(steps.length > 1 && { step: row.step + 1, steps: steps.length, did: steps[row.step]?.label }),
      },
    })
    return state
  })
}

const json = (value: unknown): Prisma.InputJsonValue => value as Prisma.InputJsonValue

/** What was not sent is no try of which anything is unknown: the next one has its number, and no other one's, for that has its calls. */
const unsent = (row: OpenShiftAction) => ({ attempts: unanswered(row) ? row.attempts : row.attempts - 1 })

function nextOf(row: OpenShiftAction, steps: ActionStep[], result: StepResult, now: Date): Next {
  // Looked at anew by whoever hears of the object, and now and then.
  if (result.outcome === 'waits')
    return {
      state: 'waiting',
      event: null,
      data: { steps: json(unready(steps)), ...unsent(row), waitsSince: row.waitsSince ?? now, error: null },
    }
  const { cancels } = steps[row.step]!
  if (result.outcome === 'failed') {
    const told = {
      tried: now.toISOString(),
      ...(result.code === 409 && { conflict: true as const }),
      ...(result.made.length === 0 && { unsent: true as const }),
    }
    const error = result.sentence
    const anew = { attempts: row.attempts, ...(told.unsent && unsent(row)) }
    const calls = json([...callsOf(row), ...result.made])
    const look = isAnswerLost({ ...row, ...anew, calls: calls as Prisma.JsonArray }) && {
      claimedUntil: new Date(now.getTime() + LOOK_FIRST_MS),
    }
    return {
      state: 'failed',
      event: 'failed',
      data: {
        steps: json(marked(steps, row.step, { state: 'failed', ...told })),
        error,
        waitsSince: null,
        ...anew,
        ...look,
      },
    }
  }
  const data = {
    steps: json(marked(steps, row.step, { state: 'stored', at: now.toISOString() })),
    generation: result.generation === null ? null : BigInt(result.generation),
    ...{ uid: result.uid, storedVersion: result.resourceVersion },
    ...{ error: null, waitsSince: null },
  }
  if (cancels)
    return { state: 'cancelled', event: 'taken-back', data: { ...data, error: cancelledWords(steps, 'back') } }
  if (row.step + 1 === steps.length) return { state: 'accepted', event: 'accepted', data: { ...data, acceptedAt: now } }
  return {
    state: 'waiting',
    event: 'step-stored',
    data: { ...data, step: row.step + 1, attempts: 0, waitsSince: now },
  }
}

/** What a step waits for was there, and was gone when it was to be made. */
const unready = (steps: ActionStep[]): ActionStep[] => steps.map(({ readySince: _, ...step }) => step)

const marked = (steps: ActionStep[], index: number, as: Partial<ActionStep>): ActionStep[] =>
  steps.map((step, i) => {
    if (i !== index) return step
    const { conflict: _, unsent: __, tried: ___, ...rest } = step
    return { ...rest, ...as }
  })
