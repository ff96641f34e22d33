import { db } from '@/lib/db/client'
import type { Change, Decision, Machine } from '@/lib/db/generated/client'
import { removesAny, wentByOthers } from '@/lib/domain/changes/by-others'
import type { ChangeSet } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import type { DrainWait } from '@/lib/domain/pools/drain'
import { operatorsWords } from '@/lib/domain/pools/node-words'
import { UNDER_WAY } from '@/lib/domain/pools/node-phase'
import { MOVED } from '@/lib/providers/cluster-api'
import { REMEDIATE } from '@/lib/domain/health-checks'
import { explain, explanation, explanationOf, type Explanation } from '@/lib/domain/errors'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import {
  changeDto,
  changeSetOf,
  decisionDto,
  outlookIn,
  OVER,
  unforetoldIn,
  type ChangeDto,
  type ChangeState,
  type DecisionDto,
} from './change-row'
import { againstOf, type Against } from './against'
import { fellAway, tookPlaceOf, type FellAway } from './fell-away'
import { goesBack, type GoesBack } from './goes-back'
import { waitsForPlane } from './held-plane'
import { blockedBy, type Blocking } from './held-scaling'
import { endedOf, type Ended } from './ended'
import { leftBy, type LeftBy } from './left-by'
import { newerChange, nextChange, type NewerChange } from './newer-change'
import { nodesElsewhere } from './nodes-away'
import { saidOfChange, type SaidOfChange } from './said-of-change'
import { saidOfWaves } from './said-of-waves'
import { GetInput } from './schemas'
import { timelineOf, type TimelineEntry } from './timeline'
import { triedAtOf } from './tries'
import { letGoLater } from './why-let-go'
import { withLate } from './with-late'

export interface ChangeMachine {
  id: string
  name: string
  node: string | null
  version: string | null
  state: string | null
  sentence: string | null
  verdict: string | null
  verdictReason: string | null
  /** Of a node whose drain is refused, what keeps it: it goes on when that is gone, and nobody knows when. */
  kept?: string | null
  /** Chosen when its group was held: its update begins when that goes on. */
  outOfService?: boolean
  /** Of a node that is longer in one step than it should be, what it is at. */
  stuck?: string
  /** Of a node: it is there, and in another pool, or in none. */
  isElsewhere?: boolean
  /** How it fares in this change; null: not part of it yet. */
  progress: {
    state: string
    predicted: string | null
    message: string | null
    startedAt: string | null
    finishedAt: string | null
    /** Which updater is at work, or failed, and which are done with it. */
    updater?: string | null
    updatersDone?: string[]
    /** It goes, or is gone, and not by the rollout. */
    byOthers?: boolean
    /** And nobody can tell by whom. */
    unforetold?: boolean
    /** What was not well of it, of a control plane, when it was last looked at before it went. */
    unwell?: string | null
    /** It was going already when this change was written. */
    early?: boolean
    /** Its health check found it ill in the middle of it, before it, or after it. */
    ill?: boolean
    /** Somebody had marked it to be remediated. */
    marked?: boolean
    /** It was through with its update before that, or goes on. */
    updated?: boolean
    /** Made, or updated, it counts as failed by its policy: why. */
    late?: string | null
    /** By its policy, or somebody's word, it counted as failed in this change: why. */
    failedFor?: string | null
    failedAt?: string | null
    /** Made, or updated, it was not Ready since, and is waited for; of what is over, it never was while that went on. */
    awaited?: boolean
    deletingAt?: string | null
    /** When it was through with its update, or made, whatever became of it since. */
    throughAt?: string | null
  } | null
}

export interface StuckOn {
  machine: string | null
  message: string
  trouble: Explanation | null
  /** The held change of its control plane that it waits for. */
  plane?: Blocking
}

export interface ChangeDetail extends ChangeDto {
  changeSet: ChangeSet
  decisions: DecisionDto[]
  timeline: TimelineEntry[]
  /** Of a change that is over: the machines on its record, and no others that the group has had since. */
  machinesList: ChangeMachine[]
  /** What it is stuck on, and what to do about it, with the message as its controllers wrote it. */
  stuckOn: StuckOn | null
  /**
   * How many machines were to be created when it was approved, and when that was; when it was approved first, and how many were
   * wanted then (null: not kept). Null: nothing was foretold.
   */
  createdForetold: { count: number; since: string; first: string; wanted: number | null } | null
  /** Approvals of what its group wanted before, of which it took the place; null: there were none. */
  fellAway: FellAway | null
  /** It came of rolling back the one whose place it took; null: it did not. */
  goesBack: GoesBack | null
  /** The newest change of the group that came after this one. */
  newer: NewerChange | null
  /** The one that came next, and took its place. */
  successor: NewerChange | null
  /** Of one that is superseded, how it came to its end. */
  ended: Ended | null
  /** Of one that is over because its cluster was disconnected; null: it is not, or that is not on record. */
  leftBy: LeftBy | null
  /** What held it was taken away where anybody can, and put back: when for the first time; null: it was not. */
  heldAgainAt: string | null
  /** It stopped by itself, and who let it go on; null: it did not, or it stands still. */
  wentOn: { by: string; reason: string | null; at: string; policy: string | null; was: string | null } | null
  /** Who said that it is done as it is; null: nobody had to. */
  countedDone: { by: string; reason: string | null; at: string } | null
  /** Of what waits to be counted as done after it stopped by its policy: whose word stands against it besides. */
  against: Against | null
}

const MOST = 500
/** Of lib/domain/errors: a node that could not be drained for an hour. */
const DRAIN = 'mco-drain'

/** One change with everything its page shows: fields, machines, decisions, and what happened when. */
export async function getChange(ctx: Ctx, input: unknown): Promise<ChangeDetail> {
  requirePermission(ctx, 'fleet:read')
  const { id } = parseInput(GetInput, input)
  const row = await db().change.findUnique({
    where: { id },
    include: {
      cluster: { select: { name: true, gateState: true } },
      decisions: { orderBy: { recordedAt: 'asc' } },
      approvals: { orderBy: { at: 'asc' } },
      progress: { orderBy: [{ startedAt: 'asc' }, { machineName: 'asc' }], take: MOST },
      gateCalls: { orderBy: { lastAt: 'desc' }, take: 200 },
    },
  })
  if (!row) throw new ServiceError('not-found', 'There is no such change.')
  const over = OVER.includes(row.state as ChangeState)
  const { clusterId, groupKind, groupName, namespace } = row
  const [machines, newer, successor, ends, said, waveWords, older] = await Promise.all([
    groupKind === POOL
      ? nodesOf(row.groupId)
      : db().machine.findMany({
          where: {
            ...{ clusterId, groupKind, groupName, namespace },
            ...(over ? { id: { in: row.progress.map((p) => p.machineId) } } : {}),
          },
          orderBy: [{ severity: 'desc' }, { name: 'asc' }],
          take: MOST,
        }),
    newerChange({ ...row, detectedAt: row.detectedAt.toISOString() }),
    nextChange({ ...row, detectedAt: row.detectedAt.toISOString() }),
    endedOf([row]),
    saidOfChange(row),
    saidOfWaves(row),
    tookPlaceOf(row),
  ])
  const [fell, back] = older ? await Promise.all([fellAway(older), goesBack(older)]) : [null, null]
  const ended = ends[id] ?? null
  const left = ended === 'disconnected' ? await leftBy(row) : null
  const progress = new Map(row.progress.map((p) => [p.machineId, p]))
  const present = new Set(machines.map((m) => m.id))
  // Whether it was a node by then is not kept: what comes up is being updated by nobody.
  const wereThere = new Set(
    machines.flatMap((m) => ('createdAt' in m && m.updating && m.createdAt < row.detectedAt ? [m.id] : [])),
  )
  const stories = row.progress.map((p) => ({ ...p, wasThere: wereThere.has(p.machineId) }))
  const elsewhere = groupKind === POOL ? await nodesElsewhere(row.id) : new Set<string>()
  const ready = new Set(machines.flatMap((m) => (m.ready ? [m.id] : [])))
  const comesUp = new Set(machines.flatMap((m) => (m.state === 'provisioning' ? [m.id] : [])))
  // As its hull has it (lib/db/queries/hulls.ts).
  const late = (p: (typeof row.progress)[number]): string | null =>
    ['done', 'created'].includes(p.state) &&
    p.failedAt &&
    (row.state === 'rejected' || !row.failuresFrom || p.failedAt > row.failuresFrom) &&
    (row.stoppedAt || (!over && !ready.has(p.machineId)))
      ? (p.failedWhy ?? 'failed')
      : null
  // As the worker has it (worker/planner/progress.ts).
  const isAwaited = (p: (typeof row.progress)[number]): boolean =>
    ['done', 'created'].includes(p.state) &&
    ((!over && comesUp.has(p.machineId)) || (p.startedAt !== null && p.readyAt === null)) &&
    !(row.failuresFrom && p.failedAt && p.failedAt <= row.failuresFrom)
  const unforetold = unforetoldIn(row)
  const step = (p: (typeof row.progress)[number] | undefined): ChangeMachine['progress'] =>
    p
      ? {
          state: p.state,
          predicted: p.predicted,
          message: p.message,
          startedAt: p.startedAt?.toISOString() ?? null,
          finishedAt: p.finishedAt?.toISOString() ?? null,
          ...{ updater: p.updater, updatersDone: p.updatersDone },
          byOthers: wentByOthers({ ...p, ill: p.illAt !== null }, removesAny(outlookIn(row))),
          ...{ unforetold, early: p.wentBy === 'before', unwell: p.unwell },
          ...{ ill: p.illAt !== null, marked: p.illBy === REMEDIATE, updated: p.throughAt !== null },
          ...{ failedFor: p.failedAt && (p.failedWhy ?? 'failed'), failedAt: p.failedAt?.toISOString() ?? null },
          ...{ late: late(p), awaited: isAwaited(p), deletingAt: p.deletingAt?.toISOString() ?? null },
          throughAt: p.throughAt?.toISOString() ?? null,
        }
      : null
  const dto = changeDto(row)
  const words = { said, waves: waveWords }
  const sent = row.decisions.filter((one) => !triedAtOf(one))
  const decisions = row.decisions.map((one) => ({
    ...decisionDto(one),
    later: letGoLater(one, sent[sent.indexOf(one) - 1], words),
  }))
  const stuck = over ? null : stuckOn(row.stuckReason, machines)
  const failed = row.progress.filter((p) => late(p) !== null)
  return {
    ...dto,
    outcome: dto.outcome && withLate(dto.outcome, failed),
    changeSet: changeSetOf(row),
    ...{ decisions, decision: decisions.find(({ id: one }) => one === dto.decision?.id) ?? null },
    timeline: timelineOf({ ...row, progress: stories }, successor, said, waveWords, ended, fell, left),
    wentOn: row.stoppedAt ? null : wentOn(said),
    countedDone: countedDone(row, said),
    against: row.settling && row.stoppedBy && !over ? await againstOf(db(), id) : null,
    heldAgainAt: said.find(({ what }) => what === 'held-again')?.at.toISOString() ?? null,
    createdForetold: createdForetold(row),
    ...{ newer, successor, ended, leftBy: left, fellAway: fell, goesBack: back },
    stuckOn: stuck && (await onHeldPlane(withoutGate(stuck, row.cluster), dto)),
    machinesList: [
      ...machines.map(({ id: machineId, name, node, version, state, sentence, verdict, verdictReason, ...more }) => ({
        ...{ id: machineId, name, node, version, state, sentence, verdict, verdictReason },
        ...('kept' in more ? { kept: more.kept } : {}),
        ...('stuck' in more ? { stuck: more.stuck } : {}),
        ...(sentence.startsWith(MOVED) ? { outOfService: true } : {}),
        progress: step(progress.get(machineId)),
      })),
      ...row.progress
        .filter((p) => !present.has(p.machineId))
        .map((p) => ({
          ...{ id: p.machineId, name: p.machineName, node: null, version: null, state: null, sentence: null },
          ...{ verdict: null, verdictReason: null, progress: step(p) },
          ...(elsewhere.has(p.machineId) ? { isElsewhere: true } : {}),
        })),
    ],
  }
}

/** Nodes of a pool as machines are listed. */
async function nodesOf(poolId: string) {
  const pool = await db().configPool.findUnique({ where: { id: poolId } })
  if (!pool) return []
  const nodes = await db().configNode.findMany({
    where: { clusterId: pool.clusterId, pool: pool.name },
    orderBy: [{ severity: 'desc' }, { name: 'asc' }],
    take: MOST,
  })
  return nodes.map(({ id, name, release, phase, sentence, hint, unavailable, currentConfig, stuckFrom, ...node }) => ({
    ...{ id, name, node: name, version: release, sentence, ready: !unavailable },
    state: phase === 'degraded' ? 'failed' : isUnderWay(phase) ? 'updating' : 'ready',
    verdict: phase === 'updated' && currentConfig === pool.desiredConfig ? 'up-to-date' : 'in-place',
    kept: drainIn(node)?.failing ? sentence : null,
    step: drainIn(node)?.holdouts.length ? hint : null,
    ...(stuckFrom && stuckFrom.getTime() <= Date.now() ? { stuck: sentence } : {}),
    ...{ verdictReason: null, ...troubleOf(phase, sentence) },
  }))
}

const drainIn = ({ drain }: { drain: unknown }) => drain as DrainWait | null

/** Of a degraded node, in the words of its operator. */
function troubleOf(phase: string, sentence: string) {
  if (phase !== 'degraded') return { error: null, trouble: null, troubleWords: null }
  const message = operatorsWords(sentence)
  const about = { api: 'machine.openshift.io', infrastructure: null, condition: 'MachineConfigDaemon', reason: null }
  const known = message === null ? null : explain({ ...about, message })
  return { error: message ?? sentence, trouble: known?.entry.id ?? null, troubleWords: known?.words ?? null }
}

const isUnderWay = (phase: string): boolean => UNDER_WAY.some((one) => one === phase)

function countedDone({ state, countedDoneAt }: Change, said: readonly SaidOfChange[]): ChangeDetail['countedDone'] {
  const last = countedDoneAt && state === 'done' ? said.findLast(({ what }) => what === 'counted-done') : undefined
  return last ? { by: last.by, reason: last.reason, at: last.at.toISOString() } : null
}

function wentOn(said: readonly SaidOfChange[]): ChangeDetail['wentOn'] {
  const last = said.findLast(({ what }) => what === 'went-on')
  return last
    ? { ...{ by: last.by, reason: last.reason, policy: last.policy, was: last.was }, at: last.at.toISOString() }
    : null
}

/** As the fidelity counts it: of the newest plan, without what was coming before. */
function createdForetold({
  decisions,
  outlook,
}: Pick<Change, 'outlook'> & { decisions: Decision[] }): ChangeDetail['createdForetold'] {
  const speaks = ({ state, awaitsTime, acceptedAt }: Decision) =>
    ['accepted', 'seen'].includes(state) || (awaitsTime && acceptedAt !== null)
  const foretold = decisions.filter((one) => one.plan && one.mode !== 'reject')
  const decision = foretold.findLast(speaks)
  const { created, createdBefore = 0 } = (decision?.plan ?? {}) as { created?: number; createdBefore?: number }
  if (!decision || created === undefined) return null
  const first = foretold.find((one) => speaks(one) || one.acceptedAt !== null) ?? decision
  return {
    ...{ count: created - createdBefore, since: decision.recordedAt.toISOString() },
    ...{ first: first.recordedAt.toISOString(), wanted: outlookIn({ outlook }).replicas ?? null },
  }
}

/** The reason begins with the machine's name, or is a controller's own words about the group. `step`: where it is known which pods keep a node. */
function stuckOn(
  reason: string | null,
  machines: (Pick<Machine, 'name' | 'error' | 'trouble' | 'troubleWords'> & { step?: string | null })[],
): StuckOn | null {
  const bad = machines.find(({ name, error }) => error !== null && reason?.startsWith(`${name}: `))
  if (bad) {
    const trouble = explanation(bad.trouble, bad.troubleWords)
    const { step } = bad
    // Which pods those are stands above already.
    const named = trouble?.id === DRAIN && step ? { cause: 'The operator goes on trying.', step } : {}
    return { machine: bad.name, message: bad.error!, trouble: trouble && { ...trouble, ...named } }
  }
  const known =
    reason &&
    explain({ ...{ api: 'cluster.x-k8s.io', infrastructure: null, condition: null, reason: null }, message: reason })
  return reason && known ? { machine: null, message: reason, trouble: explanationOf(known) } : null
}

/** Cluster API says the same of an updater that failed, and of one that it did not reach: nothing calls it where no gate is registered. */
function withoutGate(stuck: StuckOn, { gateState }: { gateState: string }): StuckOn {
  const { trouble } = stuck
  if (trouble?.id !== 'in-place-hook-failed' || gateState === 'registered') return stuck
  const first =
    'Register the update gate first, on the page of the management cluster: without it Drydock calls no updater.'
  return { ...stuck, trouble: { ...trouble, terminal: true, normally: null, step: `${first} ${trouble.step}` } }
}

/** New machines that wait for a control plane wait for a decision where Drydock holds that. */
async function onHeldPlane(stuck: StuckOn, change: ChangeDto): Promise<StuckOn> {
  const { trouble } = stuck
  const plane = trouble && waitsForPlane(trouble.id) ? await blockedBy(change) : null
  if (!trouble || !plane) return stuck
  const step = `Drydock holds the control plane ${plane.name}, and does not let it go by itself: decide that.`
  return { ...stuck, plane, trouble: { ...trouble, terminal: true, normally: null, step } }
}
