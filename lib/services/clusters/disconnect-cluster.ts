import * as z from 'zod'
import { db, type Tx } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { ALL_THE_SAME } from '@/lib/domain/disconnect'
import { errorText } from '@/lib/error-text'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { withRegistrationLock } from '../gate/lock'
import { asServiceError } from '../gate/refusal'
import { restoreAll } from '../remediation/restore-all'
import { isUnderWay, lockCluster, newestAttempt, requireTime, requireUnderWay, type Attempt } from './attempt'
import { forgetClient } from './connection'
import { despiteDeadlocks } from './deadlocks'
import { planFor, planWithout, type DisconnectPlan } from './disconnect-plan'
import { forgetRows, takeLease } from './forget-rows'
import { release, takeBack } from './release'
import { ClusterId } from './schemas'
import type { Moves } from './what-moves'

export type { DisconnectPlan }

const PlanInput = ClusterId.extend({
  /** The cluster is gone for good, or Drydock is locked out of it: forget it without asking it anything. */
  gone: z.boolean().default(false),
})

const DisconnectInput = PlanInput.extend({
  /** The name of the cluster, typed. */
  confirm: z.string('Type the name of the management cluster.'),
  /** What moves by it is to move: ALL_THE_SAME, typed, and the groups that were named then, with what each wanted, and why it moves. */
  allTheSame: z.string().nullish(),
  moves: z
    .array(z.object({ group: z.string(), digest: z.string(), why: z.string() }))
    .max(100_000)
    .default([]),
})

const plan = (clusterId: string, gone: boolean): Promise<DisconnectPlan> =>
  asServiceError(() => (gone ? planWithout(clusterId) : planFor(clusterId)))

/** What disconnecting would leave held, and what it would let move. */
export async function planDisconnect(ctx: Ctx, input: unknown): Promise<DisconnectPlan> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, gone } = parseInput(PlanInput, input)
  return plan(clusterId, gone)
}

/**
 * Disconnects: what is held stays held, then the registration is released, then the credentials go. Refuses where
 * something would move, but for what somebody has named as that. Recorded first: from then on nobody decides anything there and the worker lets go; then the
 * cluster is asked once more, because something may have been let go since it was asked first. One that cannot be asked
 * is only forgotten: its latch, its holds and its registration stay, and without Drydock behind it the gate only holds.
 * Either way its rows go; what was decided and what was done stays readable.
 */
export async function disconnectCluster(ctx: Ctx, input: unknown): Promise<DisconnectPlan> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, confirm, gone, allTheSame, moves } = parseInput(DisconnectInput, input)
  const first = await plan(clusterId, gone)
  if (confirm !== first.name) {
    const message = `Type ${first.name} to disconnect it.`
    throw new ServiceError('invalid', message, { fields: [{ field: 'confirm', message }] })
  }
  const agreed: Agreed = new Map(allTheSame === ALL_THE_SAME ? moves.map((one) => [one.group, one]) : [])
  refuseMoving(first, agreed)
  return withRegistrationLock(clusterId, () => proceed(ctx, first, gone, agreed))
}

async function proceed(ctx: Ctx, first: DisconnectPlan, gone: boolean, agreed: Agreed): Promise<DisconnectPlan> {
  const { clusterId } = first
  const { before, ...attempt } = await begin(ctx, clusterId, first)
  let left: string | null = null
  try {
    const second = await plan(clusterId, gone)
    refuseMoving(second, agreed)
    left = gone ? 'the cluster was not asked: nothing was released' : await asServiceError(() => leave(second, attempt))
    await end(ctx, second, attempt, left, gone)
    forgetClient(clusterId)
    return second
  } catch (error) {
    // Where the cluster was not asked, nothing of it was let go either.
    const guarded = gone ? null : await takeBack(clusterId)
    // What it failed at is what is told, whatever comes besides: the worker connects it again then.
    await undo(ctx, first, attempt, before, error, [left, guarded]).catch((err: unknown) =>
      log().error(
        { err, failedAt: error instanceof Error ? errorText(error) : null, cluster: first.name },
        'a disconnect that failed could not be undone',
      ),
    )
    throw error
  }
}

/** What moves without the gate was only asked where it was found registered: what is registered since then stays, and holds. */
async function leave({ clusterId, registered }: DisconnectPlan, attempt: Attempt): Promise<string> {
  const before = () => requireTime(attempt)
  await before()
  const restored = await restoreAll(clusterId, before)
  const released = registered ? await release(clusterId, before) : 'there was no registration'
  return restored ? `${restored}; ${released}` : released
}

/** What somebody who disconnects has seen that it moves, by the group's name: what that wanted then, and why it moves. */
type Agreed = ReadonlyMap<string, Pick<Moves, 'digest' | 'why'>>

/** What was not named then stops it, and so does another change of what was, or another reason: somebody may have paused it since. */
function refuseMoving({ wouldMove }: DisconnectPlan, agreed: Agreed): void {
  const others = wouldMove.filter(({ group, digest, why }) => {
    const seen = agreed.get(group)
    return seen?.digest !== digest || seen.why !== why
  })
  const [one] = others
  if (!one) return
  const other = otherwise(one, agreed.get(one.group))
  throw new ServiceError(
    'conflict',
    `${others.length === 1 ? 'A group' : `${others.length} groups`} would move: ${one.group}. ${other}${one.why}`,
    {
      hint: `Let them finish, pause or reject them: what Drydock pauses is paused on the API server. Or type “${ALL_THE_SAME}” where they are named.`,
    },
  )
}

const otherwise = ({ digest }: Moves, seen: Pick<Moves, 'digest'> | undefined): string =>
  seen === undefined
    ? ''
    : seen.digest === digest
      ? 'It would move for another reason now than what was agreed to. '
      : 'Something else waits there now than what was agreed to. '

const auditOf = ({ clusterId, name }: DisconnectPlan) => ({
  target: { kind: 'ManagementCluster', id: clusterId, name },
  cluster: { id: clusterId, name },
})

/** What was let move all the same, or goes on, is on record, by its name. */
const detailsOf = ({ staysHeld, atHook, wouldMove, goesOn }: DisconnectPlan) => ({
  staysHeld: [...staysHeld, ...atHook],
  ...(wouldMove.length > 0 ? { moves: wouldMove.map(({ group }) => group) } : {}),
  ...(goesOn.length > 0 ? { goesOn } : {}),
})

interface Before {
  state: string
  stateMessage: string | null
}

async function begin(ctx: Ctx, clusterId: string, plan: DisconnectPlan): Promise<Attempt & { before: Before }> {
  return db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<Before[]>`
      SELECT state, state_message AS "stateMessage" FROM management_cluster WHERE id = ${clusterId}::uuid FOR UPDATE`
    const state = { in: ['recorded', 'applying'] }
    const underway =
      (await tx.decision.count({ where: { state, change: { clusterId } } })) +
      (await tx.openShiftAction.count({ where: { state, clusterId } }))
    if (underway > 0)
      throw new ServiceError(
        'conflict',
        underway === 1
          ? 'A decision is being applied right now.'
          : `${underway} decisions are being applied right now.`,
        {
          hint: 'Wait a moment, then try again.',
        },
      )
    const stateMessage = `Being disconnected by ${ctx.actor.name}.`
    await tx.managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected', stateMessage } })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      ...auditOf(plan),
      action: 'cluster.disconnect',
      details: detailsOf(plan),
    })
    const { id: event, at } = (await newestAttempt(tx, clusterId))!
    // One that was cut short, and is disconnected once more: what it was before that is not known.
    const known = before!.state === 'disconnected' ? { state: 'pending', stateMessage: null } : before!
    return { clusterId, name: plan.name, event, at, words: stateMessage, before: known }
  })
}

async function end(ctx: Ctx, plan: DisconnectPlan, attempt: Attempt, answer: string, gone: boolean): Promise<void> {
  const { clusterId } = plan
  const write = async (tx: Tx): Promise<void> => {
    await takeLease(tx, clusterId)
    await lockCluster(tx, clusterId)
    await requireUnderWay(tx, attempt)
    await tx.clusterCredential.deleteMany({ where: { clusterId } })
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: {
        stateMessage: `Disconnected by ${ctx.actor.name}.`,
        // What the last looks found is true no more. A registration that was not released is there still.
        ...{ latchStatus: Prisma.DbNull, gateStatus: Prisma.DbNull },
        ...(gone ? {} : { gateState: 'unregistered' }),
      },
    })
    await forgetRows(tx, clusterId)
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, { ...auditOf(plan), action: 'cluster.disconnected', answer, details: detailsOf(plan) })
  }
  // What was released is not there any more: whoever only was in the way leaves nothing half-way.
  await despiteDeadlocks(() => db().$transaction(write))
}

/** It did not come to its end: the cluster is connected as before, its registration guarded, and the record says why, and what was done. */
async function undo(
  ctx: Ctx,
  plan: DisconnectPlan,
  attempt: Attempt,
  before: Before,
  error: unknown,
  done: (string | null)[],
): Promise<void> {
  const known = error instanceof ServiceError ? error : null
  const why = known ? (known.more.answer ?? known.message) : 'Drydock itself failed; its log says why.'
  const { clusterId } = plan
  await db().$transaction(async (tx) => {
    await lockCluster(tx, clusterId)
    // Whoever took it up since then has said what it is.
    if (await isUnderWay(tx, attempt))
      await tx.managementCluster.update({ where: { id: clusterId }, data: { ...before } })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      ...auditOf(plan),
      action: 'cluster.disconnected',
      result: known?.code === 'refused' ? 'refused' : 'failed',
      answer: [why, ...done.filter((words) => words !== null)].join('\n'),
    })
  })
}
