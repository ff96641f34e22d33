import { capital } from '@/lib/domain/text'
import { namedIn } from '@/lib/kubernetes/paths'
import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Decision } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { byApproved, configsEdited, movesNow } from '@/lib/domain/changes'
import { foundUnderWay } from '@/lib/domain/changes/under-way'
import type { Verdict } from '@/lib/domain/verdict'
import { wishes } from '@/lib/domain/waves'
import type { KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { endApprovals } from '@/lib/services/changes/approvals'
import { pairsApproved } from '@/lib/services/changes/approved-pairs'
import { changeSetOf, outlookIn, type ChangeOutcome } from '@/lib/services/changes/change-row'
import { CONFIG_EDITED } from '@/lib/services/changes/config-edited'
import { COUNTED, isCounted } from '@/lib/services/changes/counted'
import type { Hold } from '@/lib/services/changes/hold-of'
import { letGoByWords } from '@/lib/services/changes/let-go-by'
import { isUnheldStill } from '@/lib/services/changes/let-go-outside'
import { recordMovedUnapproved } from '@/lib/services/changes/moved-unapproved'
import { lockChange } from '@/lib/services/changes/lock-change'
import { rejectedText } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { isAsRead } from './as-read'
import { asAllowed } from './as-allowed'
import { editedObjects } from './edited-objects'
import { laterOf, owned, SOON_MS, type PlanContext, type Row } from './common'
import { NOT_PAUSED } from '@/lib/services/changes/states'
import { holdsHere, isHeldRejected, putOnHold } from './hold'
import { isPool } from '@/lib/domain/latch/hold'
import { STOPPED } from '@/lib/domain/latch/names'
import { restOf } from '@/lib/domain/pools/change'
import { madeUnderGate, madeWhileHeld, mayBeMade } from './made-held'
import { begunUnapproved, followMembers, keepMembers, setsOf, workloadNow } from './members'
import type { Planned } from '@/lib/services/changes/planned'
import { isOnlyResumed, recordLetGo } from './record-let-go'
import { recordCame } from './record-unheld'
import { etcdBlocks } from './etcd-blocks'
import { isFreed, isStopped, markSeen, recordHeldAgain, voidedBy } from './seen'
import { soFar } from './so-far'
import { blockedBy } from './stuck'
import { writeVerdicts, type OwnedGroup } from './verdicts'
import { whileHeld } from './while-held'

/** As it stands on the object, whose word it is that it is not to go. */
const wordsAgainst = (open: Row, newest: Decision | undefined): string => {
  if (isCounted(open, newest)) return `${STOPPED}${COUNTED}`
  return newest ? rejectedText({ ...newest, mode: 'reject' }) : `${STOPPED}${open.stoppedWhy ?? ''}`
}

/** What is planned of a change, as far as what becomes of it depends on that. */
export type ToGoOn = Pick<Planned, 'changeSet' | 'outlook' | 'verdicts'> & {
  change: Pick<Planned['change'], 'fingerprint'>
}

/** A change that is known: what became of it since. */
export async function goOn(
  context: PlanContext,
  group: KubeObject,
  key: OwnedGroup,
  planned: ToGoOn,
  hold: Hold,
  open: Row,
): Promise<number> {
  const { view } = context
  const newest = open.decisions[0]
  const waiting = open.state === 'waiting' || open.state === 'rejected'
  const seen = newest && (await markSeen(view, group, newest, hold))
  // Rejected, which holds it, and yet not held any more: the break-glass group let it go, whatever else still keeps it.
  const rejected = newest?.mode === 'reject'
  // Rejected before the group wanted it: now that it does, the rejection has to hold it.
  if (rejected && open.state === 'rejected' && open.heldBy === 'hook' && hold !== 'hook')
    if (!(await isHeldRejected(view, group, newest))) return SOON_MS
  // Every machine had what somebody had said no to, and Drydock itself let go what was held no more: now there is something to hold again.
  const counted = isCounted(open, newest)
  const isBack = counted || (open.stoppedBy === '' && (rejected || !newest))
  const unheld = isBack && hold !== 'latch' && hold !== 'hook'
  if (unheld && (await putOnHold(view, group, wordsAgainst(open, newest), waiting ? undefined : open))) return SOON_MS
  const byHand =
    rejected &&
    !isBack &&
    hold !== 'latch' &&
    hold !== 'hook' &&
    open.heldBy !== 'hook' &&
    (await isFreed(view, group, newest))
  const decision = byHand ? undefined : newest
  // Let go with nothing but a date that lies ahead: it begins when that comes.
  const dated = !planned.changeSet.pairs.some(movesNow)
  let state = open.state
  // Held again after it had been let go: somebody stopped it, and going on is a new decision.
  const approved = decision !== undefined && decision.mode !== 'reject'
  const stopped = approved && hold === 'latch' && (await isStopped(view, group, decision))
  // Held by now, or there is nothing any more that would hold it.
  const isOver = hold === 'latch' ? !approved || stopped : counted && unheld && !(await holdsHere(view, open.groupId))
  if (stopped) state = 'waiting'
  else if (approved && seen && state === 'approved' && !dated) state = 'running'
  else if (!decision && hold === 'none' && waiting) state = 'running'
  // Also what began before anything held it: from here on it needs somebody's decision.
  else if (!decision && (hold === 'latch' || hold === 'gate') && !waiting) state = 'waiting'
  else if (!decision && hold === 'person' && state === 'approved') state = 'waiting'
  else if (byHand) state = 'waiting'
  else if (isBack && rejected && hold === 'latch') state = 'rejected'
  const running = ['running', 'stuck'].includes(state)
  const startedAt = open.startedAt ?? dateOf(open) ?? decision?.acceptedAt ?? new Date()
  const blocked =
    blockedBy([group, ...(await setsOf(context, group))]) ??
    (running && hold !== 'person' && !open.stepWaitsAt ? await etcdBlocks(open) : null)
  // Held in the middle: what had begun goes on to its end, and is followed there; and so is what goes or comes by itself.
  const midway = running ? null : await whileHeld(open)
  const atWork = midway?.busy === true
  const goesBy = midway !== null && (midway.busy || midway.moves)
  const followed = { ...open, startedAt: goesBy ? midway.since : startedAt }
  // Held again: what came and went since the last look did so under way, not while it is held.
  const isCaught = hold === 'latch' && !running && !stopped && !approved
  const unapproved = isCaught ? await begunUnapproved(view, open, group) : null
  const follows = running || (goesBy && !unapproved) || stopped
  const frozen = follows && (await clusterIsPaused(open))
  const progress = follows
    ? await followMembers(group, key, followed, verdictsOnly(planned), blocked, {
        ...{ replacing: decision?.mode === 'replace', inPlace: decision?.mode === 'in-place' },
        ...{ paused: hold === 'person' || frozen, frozen },
        // Approved once more it is on its way, though its group is still seen held.
        ...(goesBy && !approved && hold === 'latch' ? { heldAt: midway.heldAt } : {}),
      })
    : null
  if (running && progress) state = progress.stuck ? 'stuck' : 'running'
  // Also what began since it was planned a moment ago.
  const begun = running && !approved && (await hasBegun(open))
  const outcome = progress?.outcome ?? (open.outcome as ChangeOutcome | null)
  // Of what has begun, the outlook is what is left: what was said before stays.
  const keepsOutlook = (approved && !stopped) || begun
  const before = keepsOutlook ? undefined : await soFar(open.id, oldOf(planned), progress?.madeUp ?? outcome?.madeUp)
  const outlook = keepsOutlook ? {} : { outlook: json({ ...restOf(planned.outlook, before), before }) }
  // A rejection speaks of the same content, whatever became of its machines meanwhile.
  const speaksOf = rejected && open.fingerprint === planned.change.fingerprint
  const differs = configsEdited(changeSetOf(open), planned.changeSet)
  const restates = !running && (!decision || speaksOf || (stopped && differs))
  const restated = restates ? { changeSet: json(planned.changeSet), fingerprint: planned.change.fingerprint } : {}
  const written = await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, open.id)
    // What was said of it since it was read is looked at anew.
    if (!(await isAsRead(tx, open))) return false
    const { count } = await tx.change.updateMany({
      where: { id: open.id, state: open.state },
      data: {
        ...restated,
        ...outlook,
        // An approval leaves it at what it was let go from; a rejection holds by itself.
        ...(approved && !stopped ? {} : { heldBy: hold }),
        state,
        settling: false,
        ...(isBack && isOver ? NOT_STOPPED : counted && open.stoppedAt === null ? toHold() : {}),
        ...(isPool(group) ? { workloadCluster: workloadNow(view, group, open) } : {}),
        // Held again, and nothing that could be void let it go: it waits for people now.
        ...(open.pausedUntilHeld && hold === 'latch' && !decision ? NOT_PAUSED : {}),
        // Let go by others it waits for no time of its own any more; held again, it is for people.
        ...(running && !decision ? { dueMode: null } : {}),
        // It had begun when it was first seen: once it is held nobody can tell any more.
        ...(state === 'waiting' && wasUnderWay(open) ? { firstSeen: true } : {}),
        // Of what was there before there were waves.
        ...(open.wish === null ? wishes(planned.changeSet) : {}),
        resourceVersion: group.metadata.resourceVersion,
        // What had begun may hang, whatever holds the rest.
        stuckReason: running || atWork ? ((progress ?? unapproved)?.stuck ?? null) : null,
        // What waits again has its time once more as soon as it is let go.
        ...(running && !open.startedAt && !dated ? { startedAt } : state === 'waiting' ? { startedAt: null } : {}),
        ...((progress ?? unapproved) ? { outcome: json(progress?.outcome ?? unapproved?.outcome) } : {}),
      },
    })
    if (count === 0) return false
    // Fewer revisions of the same change are left: what was approved of it stands. Not where updaters would be sent what nobody approved.
    const edited = restates && differs
    if (edited) {
      const over = await endApprovals(tx, open.id, 'config')
      await tx.change.update({ where: { id: open.id }, data: { dueMode: null } })
      const objects = editedObjects(group, changeSetOf(open), planned.changeSet)
      // Nor does what its calendar had held stand any more.
      await tx.decision.updateMany({ where: { changeId: open.id, awaitsTime: true }, data: { awaitsTime: false } })
      // What its policy lets go without asking had no approvals.
      if (over.length > 0 || (stopped && !open.pausedUntilHeld))
        await recordConfigEdited(tx, view, open, { over, objects })
    } else if (!running && !decision)
      await tx.approval.updateMany({
        where: { changeId: open.id, fingerprint: open.fingerprint, endedAt: null },
        data: { fingerprint: planned.change.fingerprint },
      })
    if (stopped || byHand)
      await tx.decision.updateMany({
        where: { id: newest!.id },
        // By no time of its own does go what nobody approved.
        data: voidedBy(group, open.pausedUntilHeld, counted || edited),
      })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    // Where nothing held it any more that is on record since the look before.
    const moves = running && open.heldBy !== 'none' && !(await isOnlyResumed(tx, view, open))
    const freed = waiting && !decision && (moves || (hold !== 'latch' && open.heldBy === 'latch'))
    if (running && !decision && hold === 'none' && dateOf(open)) await recordCame(tx, view, open)
    // Let go outside, and held again so: what begins from here on is told from what began meanwhile.
    const back = !decision && hold === 'latch' && !waiting && (await isUnheldStill(tx, open.id))
    if (stopped || back) await recordHeldAgain(tx, view, group, open, back)
    if (freed || byHand) await recordLetGo(tx, view, open, byHand)
    // Of workers each machine that came although its group was held.
    if (isCaught && (isPool(group) || (goesBy && open.groupKind === 'MachineDeployment')))
      await recordMovedUnapproved(tx, open, view.name)
    return true
  })
  if (!written) return SOON_MS
  const now = { ...open, state, heldBy: hold, workloadCluster: workloadNow(view, group, open) }
  await writeVerdicts(
    key,
    approved && !stopped ? verdictsNow(planned, decision, open) : await asAllowed(now, planned),
    running,
  )
  // A rejection keeps no machine set from making what it had been told of.
  if (waiting && (!decision || (rejected && !isPool(group))) && hold !== 'none' && !unapproved) {
    await keepMembers(view, open, group)
    // It is followed from here on.
    if (hold === 'latch' && (await mayBeMade(open)) && (await madeWhileHeld(view, open))) return SOON_MS
    if (hold === 'gate' && (await madeUnderGate(view, open, group))) return SOON_MS
  }
  // The watch may have been faster than the row that says "accepted".
  const unseen = newest !== undefined && !seen
  const goes = (running || state === 'approved') && !dated
  return goes || goesBy || unseen ? SOON_MS : laterOf(view.clusterId, group.kind)
}

/** Once it is held it waits for approvals, and goes by nothing that was said before. */
const NOT_STOPPED = { stoppedBy: null, stoppedWhy: null, stoppedAt: null, dueMode: null }
/** It is not held yet, for the API server refuses that: nothing is written over that word, and it is told, and tried again. */
const toHold = () => ({ stoppedBy: '', stoppedWhy: COUNTED, stoppedAt: new Date() })

async function recordConfigEdited(
  tx: Tx,
  view: ClusterView,
  change: Row,
  what: { over: string[]; objects: string[] },
): Promise<void> {
  await recordAudit(tx, systemCtx('planner'), {
    action: CONFIG_EDITED,
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    details: { summary: change.summary, ...what },
  })
}

/** By somebody: nothing of a paused Cluster is begun. */
const clusterIsPaused = async ({ clusterId, namespace, workloadCluster: name }: Row): Promise<boolean> =>
  (await db().workloadCluster.count({ where: { clusterId, namespace, name, paused: true } })) > 0

const wasUnderWay = ({ heldBy, decisions, detectedAt, startedAt }: Row): boolean =>
  foundUnderWay({
    ...{ heldBy, decided: decisions.length > 0 },
    ...{ detectedAt: detectedAt.getTime(), startedAt: startedAt?.getTime() ?? null },
  })

/** Let go before its date: it began when that came. */
export function dateOf(open: Pick<Row, 'outlook'>): Date | null {
  const { notBefore } = outlookIn(open)
  return notBefore && Date.parse(notBefore) <= Date.now() ? new Date(notBefore) : null
}

/** Some machine has moved, or is moving: the outlook of now would be what is left. One that was not known is not kept. */
async function hasBegun({ id, outlook }: Row): Promise<boolean> {
  if (outlookIn({ outlook }).unknown) return false
  return (await db().machineProgress.count({ where: { changeId: id, startedAt: { not: null } } })) > 0
}

/** Revisions of which machines are still to move. */
const oldOf = ({ verdicts }: ToGoOn): string[] =>
  [...verdicts].flatMap(([from, { verdict }]) => (verdict === 'up-to-date' ? [] : [from]))

const verdictsOnly = (planned: ToGoOn): Map<string, Verdict> =>
  new Map([...planned.verdicts].map(([from, v]) => [from, v.verdict]))

/** The verdicts as they are with the decision taken: what was approved replacing is replaced, and who updates the others is approved, too. */
function verdictsNow(planned: ToGoOn, decision: Decision, open: Row): Planned['verdicts'] {
  const all = (verdict: Verdict, reason: string) =>
    new Map([...planned.verdicts.keys()].map((from) => [from, { verdict, reason }]))
  if (decision.mode === 'replace') return all('replace', `${capital(letGoByWords(decision))}.`)
  const approved = new Map(pairsApproved(decision, open).map((pair) => [pair.from, pair]))
  return new Map(
    [...planned.verdicts].map(([from, { verdict, reason }]) => [
      from,
      { verdict, reason: byApproved(reason, approved.get(from)) },
    ]),
  )
}
