import { namedIn } from '@/lib/kubernetes/paths'
import { randomUUID } from 'node:crypto'
import { db, type Tx } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { policiesIn } from '@/lib/domain/policies'
import { nextStep } from '@/lib/domain/control-plane'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import type { Ctx } from '../context'
import { isAsSaid } from '../forecast/as-said'
import { dropForetold, foretell, keepForetold } from '../forecast/foretell'
import type { Planned } from '../forecast/plan'
import { againWhenDue } from './again-when-due'
import { applyOrLeave } from './apply'
import { requireNotRemembered } from './cannot-be'
import { endApprovals } from './approvals'
import { pairsToKeep } from './approved-pairs'
import { decisionDto, gatheringDto, outlookIn, type DecisionDto } from './change-row'
import { shownTiming } from '../policies/besides'
import { closedWords } from '../policies/timing'
import { requireDecidable, type Decidable, type Wish } from './decidable'
import { forgiveFailures } from './failing'
import { giveApproval, type Given } from './give-approval'
import { LIVE, NOT_OVERRIDDEN, NOT_PAUSED } from './states'
import { throughNow } from './steps'
import { earlyOf } from './too-early'

/**
 * Writes what somebody decided and its audit event in one transaction, bound to the change that was looked at; then
 * applies it. Where the policy asks for more approvals than there are, this one is kept, and nothing is decided yet.
 */
export async function recordAndApply(ctx: Ctx, wish: Wish): Promise<DecisionDto> {
  const before = await db().change.findUnique({ where: { id: wish.changeId } })
  if (before) await requireNotRemembered(wish, before)
  const foretold = wish.mode === 'reject' ? null : await foretell(wish.changeId, wish.mode)
  const made = await db().$transaction(async (tx): Promise<string | DecisionDto> => {
    const change = await requireDecidable(tx, wish)
    // Whoever approves what was rejected knows of what failed until then.
    if (wish.mode === 'reject' || (!wish.by && change.state === 'rejected')) await forgiveFailures(tx, change)
    const given = wish.mode === 'reject' ? null : await giveApproval(tx, ctx, change, wish)
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
    if (given && wish.by !== 'calendar' && given.standing.missing === 0) await setSteps(tx, change, given)
    if (given && (given.standing.missing > 0 || !given.timing.open)) return gather(tx, ctx, change, wish, given)
    await tx.change.update({
      where: { id: change.id },
      data: { state: wish.mode === 'reject' ? 'rejected' : 'approved', dueMode: null, ...notHalted(wish) },
    })
    const again = await againWhenDue(tx, change, wish, given)
    const id = again ?? randomUUID()
    // What others approved is a part of this decision before an older one takes its own with it.
    if (given) await tx.approval.updateMany({ where: { id: { in: given.ids } }, data: { decisionId: id } })
    else await endApprovals(tx, change.id)
    await tx.decision.updateMany({
      where: { changeId: change.id, state: { in: [...LIVE, 'failed'] }, NOT: { id } },
      data: { state: 'voided', claimedUntil: null, awaitsTime: false },
    })
    if (!again) await create(tx, ctx, { id, change, wish, given })
    if (foretold && saidSo(change, wish, foretold)) await keepForetold(tx, id, change.id, foretold)
    else if (wish.mode !== 'reject') await dropForetold(tx, change.id, wish.mode)
    return id
  })
  if (typeof made !== 'string') return made
  await applyOrLeave(made, `verb:${made}`, ctx)
  return decisionDto(await db().decision.findUniqueOrThrow({ where: { id: made } }))
}

interface Deciding {
  id: string
  change: Decidable
  wish: Wish
  given: Given | null
}

/** With its audit event. */
async function create(tx: Tx, ctx: Ctx, { id, change, wish, given }: Deciding): Promise<void> {
  await tx.decision.create({
    data: {
      recordedAt: await databaseNow(tx),
      ...{ id, changeId: change.id, fingerprint: wish.fingerprint, mode: wish.mode },
      ...deciding(ctx, wish, given),
      replicas: given?.replicas ?? null,
      ...(given ? { expiresAt: given.expiresAt, policy: given.snapshot as unknown as Prisma.InputJsonObject } : {}),
      ...(given ? pairsToKeep(change) : {}),
    },
  })
  const details = { decision: id, ...detailsOf(change, wish) }
  await recordAudit(tx, ctx, {
    ...about(change, wish),
    action: wish.mode === 'reject' ? 'change.rejected' : 'change.approved',
    details: { ...details, ...(given ? policyDetails(given) : {}) },
  })
}

/** Its time has come: it is the word of those who approved it before. */
function deciding({ actor }: Ctx, { reason }: Wish, given: Given | null) {
  const last = given?.last
  if (last) return { actorId: last.actorId, actorName: last.actorName, reason: last.reason }
  return { actorId: actor.id, actorName: actor.name, reason: reason ?? null }
}

/** Approved, and not enough yet, or not now: what is enough goes by itself when its time comes. */
async function gather(tx: Tx, ctx: Ctx, change: Decidable, wish: Wish, given: Given): Promise<DecisionDto> {
  const { needed, missing } = given.standing
  const due = missing === 0 && !given.timing.open
  if (due) await becomesDue(tx, change, wish)
  const details = { ...detailsOf(change, wish), needed, missing }
  await recordAudit(tx, ctx, {
    ...about(change, wish),
    action: 'approval.given',
    details: {
      ...details,
      ...sawMore(given),
      ...(due && !given.timing.open ? { waits: closedWords(given.timing) } : {}),
    },
  })
  const timing = shownTiming(given.snapshot.rules, change, true, given.now)
  const early = earlyOf(given.snapshot.rules, timing, given.lapses, given.now.getTime())
  return gatheringDto(ctx, wish, given.standing, { timing, early })
}

/** It goes by itself when its time comes, whoever rejected it before: it waits for that, and nobody reads that it is rejected. */
async function becomesDue(tx: Tx, { id: changeId }: Decidable, { mode: dueMode }: Wish): Promise<void> {
  await tx.decision.updateMany({
    where: { changeId, mode: 'reject', state: { in: [...LIVE, 'failed'] } },
    data: { state: 'voided', claimedUntil: null, awaitsTime: false, error: AFTER_ALL },
  })
  await tx.change.update({ where: { id: changeId }, data: { dueMode, state: 'waiting' } })
}
/** Why a rejection speaks no more: behind "void:". */
const AFTER_ALL = 'approved after all'

/** Of what was not said to whoever approved, nothing is kept: nobody is to be told that it came as it was said. */
function saidSo(change: Decidable, { mode }: Wish, planned: Planned): boolean {
  const { plan } = planned
  const { inPlace, replace } = outlookIn(change)
  const said = mode === 'in-place' ? inPlace : replace
  if (said && isAsSaid(said, planned)) return true
  log().warn(
    { change: change.id, said, plan: { ...plan, moves: [], frames: [] } },
    'foretold otherwise than it was said',
  )
  return false
}

/** Decided anew, it is no longer what somebody paused, or what stopped by itself. */
const notHalted = ({ mode }: Wish) => ({
  ...NOT_PAUSED,
  ...{ stoppedBy: null, stoppedWhy: null, stoppedAt: null },
  ...(mode === 'reject' ? { neverStops: false, ...ALL, ...NOT_OVERRIDDEN } : {}),
})

const ALL = { steps: null, stepWaitsAt: null, stepMachine: null, stepGrantedAt: null }

/** Machine by machine where anybody wants it so who approved it; approved anew, the next one is let go. */
async function setSteps(tx: Tx, change: Decidable, { oneByOne }: Given): Promise<void> {
  const steps = oneByOne ? nextStep({ through: await throughNow(tx, change, true) }) : null
  await tx.change.update({ where: { id: change.id }, data: { ...ALL, steps } })
}

const detailsOf = ({ summary }: Decidable, { mode, fingerprint, oneByOne }: Wish) => ({
  ...{ mode, fingerprint, summary },
  ...(oneByOne ? { oneByOne } : {}),
})

const about = (change: Decidable, wish: Wish) => ({
  target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
  cluster: { id: change.clusterId, name: change.cluster.name },
  reason: wish.reason ?? null,
})

/** Whose approval is over because fewer machines are wanted than they saw. */
const sawMore = ({ sawMore: people }: Given) => (people.length > 0 ? { overForFewerMachines: people } : {})

const policyDetails = (given: Given) => ({
  ...sawMore(given),
  needed: given.standing.needed,
  approvedBy: given.snapshot.approvals.map(({ actorName, actorId }) => `${actorName} (${actorId})`),
  policies: policiesIn(given.snapshot.rules),
})
