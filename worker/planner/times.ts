import { setTimeout } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { NOT_NOW } from '@/lib/domain/latch/names'
import { outlookIn } from '@/lib/services/changes/change-row'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource } from '@/lib/services/changes/patch-for'
import { goWhenDue } from '@/lib/services/changes/go-when-due'
import type { Resolved } from '@/lib/domain/policies'
import { ServiceError } from '@/lib/services/errors'
import { timingToGo, type Shaped } from '@/lib/services/policies/shape'
import {
  anyTimes,
  closedWords,
  isHalted,
  isUnplaced,
  TIMED,
  timingOf,
  timingUnderWay,
  type ChangeTiming,
  type Timed,
} from '@/lib/services/policies/timing'
import { lockChange } from '@/lib/services/changes/lock-change'
import { log } from '../log'
import type { ClusterView } from '../types'
import { owned } from './common'
import { isCloseDate, isNearDate } from './dates'
import { awaitsMidway, holdUnapproved } from './hold-unapproved'
import { holdEach, holding, isHolding } from './holding'
import { knownMidway } from './midway'
import { rulesOf } from './rules-of'
import { stop, type Running } from './stop'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'

/** When a window opens for many. */
const AT_ONCE = 5

/**
 * Holds what is under way when its window closes or a freeze begins: machines that have begun are finished, the rest waits.
 * Only what was decided here; it goes on by itself when its time comes. What would hang in the middle of something is held when
 * that is through (`knownMidway`). Throws where something could not be held.
 */
export const holdToTimes = (view: ClusterView): Promise<void> =>
  allOf([inTurn(view, (begun) => holdThose(view, begun)), inTurn(view, (begun) => holdUnapproved(view, begun))])

async function allOf(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Of several rounds that hold, one after the other is told what is to be held: what one was about to hold, somebody may have let go on
 * since. Once it has begun with each, the next one has its turn: it leaves alone what is being held.
 */
const turns = new WeakMap<ClusterView, Promise<void>>()
function inTurn(view: ClusterView, work: (begun: () => void) => Promise<void>): Promise<void> {
  let begun = (): void => undefined
  const hasBegun = new Promise<void>((resolve) => (begun = resolve))
  const whole = (turns.get(view) ?? Promise.resolve()).then(() => work(begun))
  turns.set(
    view,
    Promise.race([hasBegun, whole]).catch(() => undefined),
  )
  return whole
}

/** `only`: which of them; absent: all. */
async function holdThose(view: ClusterView, begun: () => void, only: Prisma.ChangeWhereInput = {}): Promise<void> {
  const { clusterId } = view
  const marked = { clusterId, state: { in: UNDER_WAY }, decisions: { some: { ...LETS_GO, awaitsTime: true } } }
  if (!(await anyTimes(db(), clusterId)) && (await db().change.count({ where: marked })) === 0) return
  const running = await db().change.findMany({
    // Of what settles nothing is left to hold.
    where: { AND: [{ clusterId, state: { in: UNDER_WAY }, settling: false, decisions: { some: LETS_GO } }, only] },
    // Not the fields and machines of thousands of rollouts.
    select: {
      ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true },
      ...{ workloadCluster: true, state: true, ...TIMED },
      decisions: {
        where: LETS_GO,
        orderBy: { recordedAt: 'desc' },
        take: 1,
        select: { id: true, awaitsTime: true },
      },
    },
  })
  if (running.length === 0) return begun()
  const [rules, now] = [await rulesOf(running), await databaseNow(db())]
  const held = holdEach(view, running, 'rollouts could not be held to their times', async (change, i) => {
    const of = rules[i]!
    // What cannot be known stops nothing that runs, and the gate answers nothing about it; a pause asks for no policy.
    if (of instanceof ServiceError && !isHalted(change)) {
      if (!(await goesByDate(change, isNearDate))) return
      // What would hang comes to its end first, while there is time; what is not held by its date begins.
      if (!(await goesByDate(change, isCloseDate)) && (await knownMidway(view, change))) return
      return stopUntilKnown(view, change, `${NOT_NOW}${of.message}`)
    }
    const timing = await timingKnown(of instanceof ServiceError ? {} : of, change, now)
    if (!timing) return
    // Read a moment after its change: by then it may let nothing go any more.
    const [decision] = change.decisions
    if (!decision) return
    if (!timing.open) {
      const awaits = await mark(view, change.id, decision.id, true)
      // What is not known is held.
      const midway = awaits && (await knownMidway(view, change))
      // Where the hold stands already it is due, and goes on by itself.
      if (awaits && !midway) await stop(view, change, `${NOT_NOW}${closedWords(timing)}`)
    } else if (decision.awaitsTime && !(await isHeldFor(view, change))) await mark(view, change.id, decision.id, false)
  })
  begun()
  await held
}

/** Null: which its wave is is found in a moment, and until then nothing else holds it. What would begin by its date waits for that. */
async function timingKnown(
  rules: Partial<Resolved>,
  change: Timed & { id: string; state: string },
  now: Date,
): Promise<ChangeTiming | null> {
  const [found, timing] = [timingOf(rules, change, now), timingUnderWay(rules, change, now)]
  if (!isUnplaced(found) || !timing.open) return timing
  return (await goesByDate(change, isCloseDate)) ? found : null
}

/** It has not begun, and would in some minutes, by its date. */
async function goesByDate(
  { id, state }: { id: string; state: string },
  isSoon: (date: string) => boolean,
): Promise<boolean> {
  if (state !== 'approved') return false
  const row = await db().change.findUnique({ where: { id }, select: { outlook: true } })
  const { notBefore } = row ? outlookIn(row) : {}
  return notBefore !== undefined && isSoon(notBefore)
}

/** Holds what would begin, and keeps its approval: it goes by that as soon as all is known that this asks for. False: there is none. */
export function holdUntilKnown(view: ClusterView, change: Running, why: string): Promise<boolean> {
  // A round that hangs is not waited for: its date may come first. At worst it loses its approval then.
  const before = Promise.allSettled([turns.get(view), isHolding(view, change.id)])
  const after = Promise.race([before, setTimeout(TURN_MS)])
  return holding(view, change.id, () => after.then(() => stopUntilKnown(view, change, why)))
}
const TURN_MS = 3_000

async function stopUntilKnown(view: ClusterView, change: Running, why: string): Promise<boolean> {
  const where = { changeId: change.id, ...LETS_GO }
  const decision = await db().decision.findFirst({ where, orderBy: { recordedAt: 'desc' }, select: { id: true } })
  if (!decision || !(await mark(view, change.id, decision.id, true))) return false
  await stop(view, change, why)
  return true
}

/** What was midway when it was to be held is looked at again soon: it may be a second until its next machine begins. */
export async function holdMidway(view: ClusterView): Promise<void> {
  const midway = { decisions: { some: { ...LETS_GO, awaitsTime: true } } }
  const where = { clusterId: view.clusterId, state: { in: UNDER_WAY }, ...midway }
  const works: Promise<void>[] = []
  if ((await db().change.count({ where })) > 0) works.push(inTurn(view, (begun) => holdThose(view, begun, midway)))
  if (awaitsMidway(view)) works.push(inTurn(view, (begun) => holdUnapproved(view, begun)))
  await allOf(works)
}

async function isHeldFor(view: ClusterView, { groupId, groupKind, groupName, namespace }: Running): Promise<boolean> {
  const row = await db().group.findUnique({ where: { id: groupId }, select: { apiVersion: true } })
  if (!row) return false
  const object = await view.client.get(groupResource(groupKind, row.apiVersion), groupName, namespace)
  return object.metadata.uid === groupId && isHeld(object)
}

/** Before the hold stands on the group: so whoever finds it there knows that no person put it there. */
async function mark(
  { clusterId, fence }: ClusterView,
  changeId: string,
  id: string,
  awaitsTime: boolean,
): Promise<boolean> {
  return db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    await lockChange(tx, changeId)
    const where = { id, ...LETS_GO, awaitsTime: !awaitsTime }
    const { count } = await tx.decision.updateMany({ where, data: { awaitsTime } })
    if (count > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: [changeId] })
    // Another decision may have taken its place meanwhile.
    return (await tx.decision.count({ where: { id, ...LETS_GO, awaitsTime } })) > 0
  })
}

/** Lets go what is approved and whose time has come. All are looked at together: in a freeze hundreds wait, and none of them goes. */
export async function goInTime({ clusterId, name }: ClusterView, stopped = () => false): Promise<void> {
  const due = await db().change.findMany({
    where: { clusterId, dueMode: { not: null }, state: { in: ['waiting', 'rejected'] } },
    orderBy: { detectedAt: 'asc' },
    select: {
      ...{ id: true, clusterId: true, groupKind: true, groupName: true, namespace: true, workloadCluster: true },
      ...{ heldBy: true, shape: true, ...TIMED },
    },
  })
  if (due.length === 0) return
  const [rules, now] = [await rulesOf(due), await databaseNow(db())]
  const left = due.entries()
  const lane = async (): Promise<void> => {
    for (const [i, change] of left) {
      if (stopped()) return
      await goOrWait(change, rules[i]!, now, name)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

type Due = Shaped & { id: string }

/** What seems to be open is asked everything anew. */
async function goOrWait(change: Due, rules: Resolved | ServiceError, now: Date, cluster: string): Promise<void> {
  const { id } = change
  try {
    if (rules instanceof ServiceError) throw rules
    if (timingToGo(rules, change, now).open) await goWhenDue(id)
  } catch (err) {
    // What is not to be had for the moment is asked for again in seconds: once more is no news.
    const momentary = err instanceof ServiceError && err.code === 'unavailable'
    log[momentary ? 'debug' : 'warn'](
      { err, cluster, change: id },
      'a change whose time has come could not be let go; it waits',
    )
  }
}
