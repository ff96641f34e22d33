import { db, type Tx } from '@/lib/db/client'
import type { Decision } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import type { KubeObject } from '@/lib/kubernetes/types'
import { againstOf } from '@/lib/services/changes/against'
import { rememberedOf, SENT } from '@/lib/services/changes/answered'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { isCounted, isToHold } from '@/lib/services/changes/counted'
import { isHeld } from '@/lib/services/changes/hold-of'
import { lockChange } from '@/lib/services/changes/lock-change'
import { madeUnasked } from '@/lib/services/changes/made-unasked'
import { NOT_PAUSED } from '@/lib/services/changes/states'
import { fidelityOf } from '@/lib/services/forecast/fidelity'
import { TOOK_BACK } from '@/lib/services/policies/timing'
import { isAsRead } from './as-read'
import { LATER_MS, owned, SOON_MS, type PlanContext, type Row } from './common'
import { end, recordEnd } from './end'
import { dateOf } from './go-on'
import { followMembers } from './members'
import type { ProgressView } from './progress'
import { isOnlyResumed, recordLetGo } from './record-let-go'
import { NEVER_ASKED, recordUnheld } from './record-unheld'
import { releaseLeftover } from './release'
import { isStopped, markSeen, recordHeldAgain, voidedBy } from './seen'
import { writeVerdicts, type OwnedGroup } from './verdicts'

/**
 * When it was let go, where machines were on their way as it was stopped: they go on to their end, whatever was decided
 * since, and it was not taken back. So do those that began by nobody's word; of these, when the first did, where the group wants it
 * still (`wanted`: by so many machines). Then those count, too, that were through before anybody looked.
 */
async function began({ id: changeId }: Row, wanted: number | null): Promise<Date | null> {
  // A machine that was made meanwhile for another reason, as one that was missing, is none of it.
  const where = { changeId, startedAt: { not: null }, state: { not: 'created' } }
  const first = await db().machineProgress.findFirst({ where, orderBy: { startedAt: 'asc' } })
  if (!first && !wanted) return null
  const letGo = await db().decision.findFirst({
    where: { changeId, mode: { not: 'reject' }, acceptedAt: { not: null } },
    orderBy: { acceptedAt: 'desc' },
  })
  return letGo?.acceptedAt ?? (wanted === null ? null : (first?.startedAt ?? null))
}

/**
 * It waited, and every machine has it before anybody looked: nobody took it back, for its group still wants it. Because nothing holds it
 * any more, and it is not what it was let go with; or because Cluster API went by what it remembers. Null: that is not so.
 */
export async function endedUnseen(open: Row, now: string, held: boolean): Promise<'taken' | 'remembered' | null> {
  const { groupId, groupKind, clusterId, state, digest } = open
  if (digest !== now || !['waiting', 'rejected'].includes(state)) return null
  const group = await db().group.findUnique({ where: { id: groupId, clusterId }, select: { letGo: true } })
  if (group && group.letGo !== digest && !held) return 'taken'
  // What was let go itself, and stopped, goes on with what had begun.
  const sent = await db().decision.count({ where: { changeId: open.id, mode: { not: 'reject' }, ...SENT } })
  if (sent > 0) return null
  const none = () => Promise.resolve([])
  const answer = await rememberedOf({ groupId, groupKind, pairs: changeSetOf(open).pairs }, none)
  return answer === 'this' ? 'remembered' : null
}
const BY_MEMORY = 'Cluster API went by an answer that it remembers, and nobody approved it'

/** Only the gate held it, which was not asked about what was made of it, nor about what was left. */
const wentUnasked = async (unseen: 'taken' | 'remembered' | null, { id, heldBy }: Row): Promise<boolean> =>
  unseen === 'taken' && heldBy === 'gate' && (await madeUnasked([id])).size > 0

/**
 * No machine has to change: what was pending is over, or was taken back, or its machines are still settling. `byOperator`: nobody
 * writes how they fare, and all are through by the word of their operator.
 */
export async function nothingPending(
  context: PlanContext,
  group: KubeObject,
  key: OwnedGroup,
  open: Row | null,
  replicas: number,
  digest: string,
  unseen: 'taken' | 'remembered' | null = null,
  byOperator = false,
): Promise<number | null> {
  const { view } = context
  const held = isHeld(group)
  if (!open) {
    // Nobody's page shows it: what keeps it from going must not be forgotten either.
    return held && !(await releaseLeftover(view, group, null, 'over')) ? LATER_MS : null
  }
  const decision = open.decisions[0]
  if (decision) await markSeen(view, group, decision, held ? 'latch' : 'none')
  const running = open.state === 'running' || open.state === 'stuck'
  const approved = decision !== undefined && decision.mode !== 'reject'
  if (running && held && approved && (await isStopped(view, group, decision))) {
    await stoppedNow(view, group, open, decision)
    return SOON_MS
  }
  // Not held, and approved: it was let go and is over already, also where another writer dropped our annotation.
  const letGo = !held && approved && decision.state !== 'recorded'
  const stoppedLate = running ? null : await began(open, open.digest === digest ? replicas : null)
  // What it holds is only what was begun already; and a held group does not make the machine that is still missing.
  if ((stoppedLate || unseen) && held && !(await releaseLeftover(view, group, open.id, 'over'))) return LATER_MS
  const moving = running || letGo || stoppedLate || (unseen !== null && replicas > 0)
  if (!moving) {
    if (held && !(await releaseLeftover(view, group, open.id, 'reverted'))) return LATER_MS
    await db().$transaction(async (tx) => {
      await owned(tx, view)
      await end(tx, view, open, 'reverted')
      await recordEnd(tx, view, open, 'taken-back')
    })
    await writeVerdicts(key, new Map())
    return null
  }
  await writeVerdicts(key, new Map(), true)
  const since = decision?.acceptedAt ?? (unseen ? open.detectedAt : (dateOf(open) ?? new Date()))
  const startedAt = open.startedAt ?? stoppedLate ?? since
  const followed = await followMembers(group, key, { ...open, startedAt }, new Map(), null, {
    ...{ replacing: decision?.mode === 'replace', inPlace: decision?.mode === 'in-place' },
    wanted: replicas,
  })
  const progress = byOperator ? throughAll(followed, replicas, open.machines) : followed
  // Between a deletion and the creation that follows it, what is there is up to date, but not all is there. Where fewer are
  // wanted, some have to go yet; a held group keeps what is too many.
  const complete = held ? progress.machines >= replicas : progress.machines === replicas
  const settles = complete && (progress.awaits || progress.settled)
  // What was to be held for machines of before is over with them.
  const stopped = open.stoppedAt !== null && !(isToHold(open) && settles)
  const through = progress.settled && complete && progress.stuck === null && !stopped
  const written = await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    // What was said of it, or stopped it, since it was read is looked at anew.
    if (!(await isAsRead(tx, open))) return null
    // What stopped by itself, or has somebody's word against it, is over when somebody has said so: no wave goes on by it before.
    const word = !stopped && settles ? await wordAgainst(tx, open) : null
    const done = through && word === null
    const fidelity = done ? await fidelityOf(tx, open.id) : null
    await tx.change.update({
      where: { id: open.id },
      data: {
        ...fidelity,
        state: done ? 'done' : progress.stuck ? 'stuck' : 'running',
        settling: !done && settles,
        ...(stopped ? {} : { stoppedAt: null, stoppedBy: null, stoppedWhy: null }),
        ...(word === null ? {} : { stoppedAt: new Date(), stoppedBy: '', stoppedWhy: word, ...NOT_PAUSED }),
        stuckReason: progress.stuck,
        outcome: json(progress.outcome),
        startedAt,
        finishedAt: done ? await databaseNow(tx) : null,
      },
    })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    if (await wentUnasked(unseen, open)) await recordUnheld(tx, view, open, null, NEVER_ASKED)
    else if (unseen && !approved && open.heldBy !== 'none' && !(await isOnlyResumed(tx, view, open)))
      await recordLetGo(tx, view, open, decision !== undefined, unseen === 'remembered' ? BY_MEMORY : undefined)
    if (word !== null) await recordEnd(tx, view, open, 'needs-word', word)
    return { done }
  })
  if (!written) return SOON_MS
  const { done } = written
  if (done) await writeVerdicts(key, new Map())
  // Held and done: it was stopped at the very end, and the hold holds nothing any more.
  return done && !held ? null : SOON_MS
}

const throughAll = ({ outcome }: ProgressView, machines: number, moved: number): ProgressView => ({
  ...{ settled: true, awaits: false, machines, stuck: null },
  outcome: { ...outcome, updatedInPlace: Math.max(outcome.updatedInPlace, Math.min(moved, machines)) },
})

/** Somebody said no, or took an approval back, and it came to its end all the same; null: nobody did. */
async function wordAgainst(tx: Tx, { id, pausedUntilHeld, pausedBy, pausedReason }: Row): Promise<string | null> {
  const no = await againstOf(tx, id)
  if (pausedUntilHeld && no?.how !== 'rejected')
    return `${pausedBy ?? 'Somebody'} ${pausedReason ?? ''}, and before its group was held every machine had it`
  return no && `${no.by} ${no.how === 'rejected' ? 'rejected it' : TOOK_BACK}, and every machine has it all the same`
}

/** Its approval is over; what is left to hold is looked at anew, as it stands then. */
async function stoppedNow(view: PlanContext['view'], group: KubeObject, open: Row, decision: Decision): Promise<void> {
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    if (!(await isAsRead(tx, open))) return
    await tx.change.update({
      where: { id: open.id },
      data: { state: 'waiting', heldBy: 'latch', startedAt: null, stuckReason: null, settling: false },
    })
    const voided = voidedBy(group, open.pausedUntilHeld, isCounted(open, decision))
    await tx.decision.updateMany({ where: { id: decision.id }, data: voided })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    await recordHeldAgain(tx, view, group, open)
  })
}
