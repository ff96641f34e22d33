import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Change, Decision, Prisma } from '@/lib/db/generated/client'
import { summaryOf, versionsOf } from '@/lib/domain/changes'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { Verdict } from '@/lib/domain/verdict'
import type { KubeObject } from '@/lib/kubernetes/types'
import { managed, pauseOf } from '@/lib/providers/cluster-api'
import { changeOf, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { recordAudit } from '@/lib/services/audit/record'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { sendEvent } from '@/lib/services/changes/events'
import { keepLetGo } from '@/lib/services/changes/let-go'
import { DECISION } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import type { GateStatus } from '@/lib/services/gate/status'
import { updatersFor } from '@/lib/services/updaters/for-cluster'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import type { CoverageBook } from './coverage'
import { keepBaseline } from './baseline'
import { putOnHold } from './hold'
import { followMachines } from './progress'
import { plannedOf, type Planned } from './read'
import { releaseLeftover } from './release'
import { blockedBy } from './stuck'
import { writeVerdicts, type GroupKey } from './verdicts'

const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']
const LIVE = ['recorded', 'applying', 'accepted', 'seen']

type Row = Change & { decisions: Decision[] }
export interface PlanContext {
  view: ClusterView
  source: ObjectSource
  book: CoverageBook
  /** Plan this group again: an updater has answered. */
  later(): void
}

const json = (value: unknown): Prisma.InputJsonValue => JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue

const owned = (tx: Tx, view: ClusterView): Promise<void> => stillOwned(tx, view.clusterId, view)

/** Something is on its way. */
const SOON_MS = 1_000
/** What waits depends on more than the group: updaters come and go. */
const LATER_MS = 30_000

/** Brings a group's change row in line with the cluster. Says when to look again; null: when something changes. */
export async function planGroup(context: PlanContext, group: KubeObject): Promise<number | null> {
  const { view } = context
  const change = await changeOf(group, context.source)
  const { digest } = change
  const open = await db().change.findFirst({
    where: { clusterId: view.clusterId, groupId: group.metadata.uid, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
    include: { decisions: { where: { state: { in: LIVE } }, orderBy: { recordedAt: 'desc' }, take: 1 } },
  })
  const key: GroupKey = {
    clusterId: view.clusterId,
    kind: group.kind,
    namespace: change.owner.namespace,
    name: change.owner.name,
  }
  if (change.pairs.length === 0) {
    const kept = isHeld(group) || (await keepLetGo(group.metadata.uid, digest))
    const next = await nothingPending(context, group, key, open, change.replicas)
    return kept ? next : SOON_MS
  }
  const [updaters, cluster] = await Promise.all([
    updatersFor(view.clusterId),
    db().managementCluster.findUnique({
      where: { id: view.clusterId },
      select: { gateState: true, gateStatus: true },
    }),
  ])
  const registered = cluster?.gateState === 'registered'
  const gate = registered ? (cluster.gateStatus as unknown as GateStatus | null) : null
  const planned = await plannedOf(view, change, updaters, gate, context.book, context.later)
  const known = new Set(open ? changeSetOf(open).pairs.map((pair) => pair.fingerprint) : [])
  const same = open?.digest === digest && change.pairs.every(({ pair }) => known.has(pair.fingerprint))
  // What is replaced in any case (a restart by rollout.after) is asked of nobody: the gate does not hold it.
  const asked = change.pairs.some(({ pair }) => !pair.certainReplace)
  const held = holdOf(view, group, registered && asked)
  const decided = open?.decisions.some(({ mode }) => mode !== 'reject') && same
  if (held === 'none' || (held === 'gate' && decided)) await keepLetGo(group.metadata.uid, digest)
  // What only the gate's answers or somebody's own pause keep back must not depend on them alone.
  if ((held === 'person' || held === 'gate') && !open?.decisions.length) await putOnHold(view, group)
  if (!open || !same) return begin(context, group, planned, held, open)
  return goOn(context, group, key, planned, held, open)
}

/** Held, also where the pause is somebody else's: the guard keeps both. */
const isHeld = (group: KubeObject): boolean => {
  const annotations = group.metadata.annotations ?? {}
  return HELD in annotations && PAUSED in annotations
}

type Hold = 'latch' | 'gate' | 'person' | 'none'

/** What keeps the group from moving right now. */
function holdOf(view: ClusterView, group: KubeObject, gateAsked: boolean): Hold {
  const { held, paused } = pauseOf(group)
  if (held !== null || isHeld(group)) return 'latch'
  if (paused) return 'person'
  return gateAsked && view.capabilities.gates.inPlaceUpdates.state !== 'off' ? 'gate' : 'none'
}

async function begin(
  context: PlanContext,
  group: KubeObject,
  planned: Planned,
  hold: Hold,
  before: Row | null,
): Promise<number> {
  const { view } = context
  const state = hold === 'none' ? 'running' : 'waiting'
  const { from, to } = versionsOf(planned.changeSet.fields)
  const created = await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (before) await end(tx, view, before, 'superseded')
    const row = await tx.change.create({
      data: {
        clusterId: view.clusterId,
        groupId: group.metadata.uid,
        groupKind: group.kind,
        namespace: group.metadata.namespace ?? '',
        groupName: group.metadata.name,
        workloadCluster: workloadClusterOf(group),
        fingerprint: planned.change.fingerprint,
        digest: planned.change.digest,
        state,
        summary: summaryOf(planned.changeSet.fields),
        fromVersion: from,
        toVersion: to,
        changeSet: json(planned.changeSet),
        outlook: json(planned.outlook),
        heldBy: hold,
        resourceVersion: group.metadata.resourceVersion,
        machines: planned.changeSet.pairs.reduce((sum, pair) => sum + pair.machines, 0),
        author: managed(group),
        startedAt: state === 'running' ? new Date() : null,
      },
    })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [row.id] })
    return row
  })
  await writeVerdicts(
    { clusterId: view.clusterId, kind: group.kind, namespace: created.namespace, name: created.groupName },
    planned.verdicts,
  )
  if (hold !== 'none') await keepBaseline(created.id)
  if (hold === 'latch')
    await sendEvent(view.client, group, 'DrydockHeld', `${created.summary} waits for approval in Drydock.`)
  return state === 'running' ? SOON_MS : LATER_MS
}

/** A change that is over: its decisions no longer speak. */
async function end(tx: Tx, view: ClusterView, row: Change, state: 'superseded' | 'reverted'): Promise<void> {
  await tx.change.update({ where: { id: row.id }, data: { state, finishedAt: new Date(), stuckReason: null } })
  await tx.decision.updateMany({
    where: { changeId: row.id, state: { in: [...LIVE, 'failed'] } },
    data: { state: 'voided', claimedUntil: null },
  })
  await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [row.id] })
}

async function goOn(
  context: PlanContext,
  group: KubeObject,
  key: GroupKey,
  planned: Planned,
  hold: Hold,
  open: Row,
): Promise<number> {
  const { view } = context
  const newest = open.decisions[0]
  const waiting = open.state === 'waiting' || open.state === 'rejected'
  const seen = newest && (await markSeen(view, group, newest, hold))
  // Rejected, and yet nothing holds it: the break-glass group let it go.
  const byHand = newest?.mode === 'reject' && hold === 'none' && (seen || isDecidedBy(group, newest))
  const decision = byHand ? undefined : newest
  let state = open.state
  // Held again after it had been let go: somebody stopped it, and going on is a new decision.
  const letGo = decision?.state === 'seen' || (decision?.state === 'accepted' && isDecidedBy(group, decision))
  const stopped = letGo && decision.mode !== 'reject' && hold === 'latch'
  if (stopped) state = 'waiting'
  else if (decision && decision.mode !== 'reject' && seen && state === 'approved') state = 'running'
  else if (!decision && hold === 'none' && waiting) state = 'running'
  else if (!decision && hold !== 'none' && state === 'approved') state = 'waiting'
  const running = ['running', 'stuck'].includes(state)
  const startedAt = open.startedAt ?? decision?.acceptedAt ?? new Date()
  const blocked = blockedBy([group, ...(await context.source.machineSets(group))])
  const progress = running ? await followMachines(key, { ...open, startedAt }, verdictsOnly(planned), blocked) : null
  if (progress) state = progress.stuck ? 'stuck' : 'running'
  const restated = running ? {} : { changeSet: json(planned.changeSet), fingerprint: planned.change.fingerprint }
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (stopped || byHand) await tx.decision.updateMany({ where: { id: newest!.id }, data: { state: 'voided' } })
    const { count } = await tx.change.updateMany({
      where: { id: open.id, state: open.state },
      data: {
        ...(decision && !running ? {} : restated),
        ...(decision && !stopped ? {} : { outlook: json(planned.outlook), heldBy: hold }),
        state,
        resourceVersion: group.metadata.resourceVersion,
        stuckReason: progress?.stuck ?? null,
        ...(running && !open.startedAt ? { startedAt } : {}),
        ...(progress ? { outcome: json(progress.outcome) } : {}),
      },
    })
    if (count === 0) return
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
    if (waiting && running && !decision) await recordLetGo(tx, view, open, byHand)
  })
  await writeVerdicts(key, verdictsNow(planned, state, decision))
  if (waiting && !decision && hold !== 'none') await keepBaseline(open.id)
  return running || state === 'approved' ? SOON_MS : LATER_MS
}

/** It moves, and nobody decided so here. */
async function recordLetGo(tx: Tx, view: ClusterView, change: Change, rejected: boolean): Promise<void> {
  await recordAudit(tx, systemCtx('planner'), {
    action: 'change.let-go',
    target: { kind: change.groupKind, id: change.id, name: `${change.namespace}/${change.groupName}` },
    cluster: { id: view.clusterId, name: view.name },
    reason: `Its hold was taken away outside Drydock${rejected ? ', although it was rejected' : ''}.`,
    details: { summary: change.summary },
  })
}

const verdictsOnly = (planned: Planned): Map<string, Verdict> =>
  new Map([...planned.verdicts].map(([from, v]) => [from, v.verdict]))

/** The verdicts as they are with the decision taken: what was approved replacing is replaced. */
function verdictsNow(planned: Planned, state: string, decision: Decision | undefined): Planned['verdicts'] {
  const all = (verdict: Verdict, reason: string) =>
    new Map([...planned.verdicts.keys()].map((from) => [from, { verdict, reason }]))
  if (state === 'rejected')
    return all('blocked', `Rejected${decision ? ` by ${decision.actorName}` : ''}: it stays as it is.`)
  if (decision?.mode === 'replace') return all('replace', `Approved replacing by ${decision.actorName}.`)
  return planned.verdicts
}

/** The same write took the hold away. */
const isDecidedBy = (group: KubeObject, decision: Decision): boolean =>
  group.metadata.annotations?.[DECISION] === decision.id

/** The watch shows what the decision asked for: the third tick. */
async function markSeen(view: ClusterView, group: KubeObject, decision: Decision, hold: Hold): Promise<boolean> {
  if (decision.state === 'seen') return true
  if (!isDecidedBy(group, decision) || (decision.mode !== 'reject' && hold === 'latch')) return false
  const { count } = await db().decision.updateMany({
    where: { id: decision.id, state: 'accepted' },
    data: { state: 'seen', seenAt: new Date() },
  })
  if (count > 0) await announce(db(), { topic: 'decisions', cluster: view.clusterId, ids: [decision.id] })
  return count > 0
}

async function nothingPending(
  context: PlanContext,
  group: KubeObject,
  key: GroupKey,
  open: Row | null,
  replicas: number,
): Promise<number | null> {
  const { view } = context
  const held = isHeld(group)
  if (!open) {
    if (held) await releaseLeftover(view, group, null)
    return null
  }
  const decision = open.decisions[0]
  if (decision) await markSeen(view, group, decision, held ? 'latch' : 'none')
  // Not held, and approved: it was let go and is over already, also where another writer dropped our annotation.
  const letGo = !held && decision !== undefined && decision.mode !== 'reject' && decision.state !== 'recorded'
  const moving = open.state === 'running' || open.state === 'stuck' || letGo
  if (!moving) {
    if (held && !(await releaseLeftover(view, group, open.id))) return SOON_MS
    await db().$transaction(async (tx) => {
      await owned(tx, view)
      await end(tx, view, open, 'reverted')
    })
    await writeVerdicts(key, new Map())
    return null
  }
  await writeVerdicts(key, new Map())
  const startedAt = open.startedAt ?? decision?.acceptedAt ?? new Date()
  const progress = await followMachines(key, { ...open, startedAt }, new Map(), null)
  // Between a deletion and the creation that follows it, what is there is up to date, but not all is there.
  const done = progress.settled && progress.machines >= replicas && progress.stuck === null
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await tx.change.update({
      where: { id: open.id },
      data: {
        state: done ? 'done' : progress.stuck ? 'stuck' : 'running',
        stuckReason: progress.stuck,
        outcome: json(progress.outcome),
        startedAt,
        finishedAt: done ? new Date() : null,
      },
    })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [open.id] })
  })
  return done ? null : SOON_MS
}
