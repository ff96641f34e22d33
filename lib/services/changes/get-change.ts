import { db } from '@/lib/db/client'
import type { Decision, Machine } from '@/lib/db/generated/client'
import { stepWords } from '@/lib/domain/control-plane'
import type { ChangeSet } from '@/lib/domain/changes'
import { foundUnderWay } from '@/lib/domain/changes/under-way'
import { explain, explanation, explanationOf, type Explanation } from '@/lib/domain/errors'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import {
  changeDto,
  changeSetOf,
  decisionDto,
  OVER,
  type ChangeDto,
  type ChangeState,
  type DecisionDto,
} from './change-row'
import { steppedOf } from '../policies/timing'
import { cameLater } from '../policies/snapshot'
import { newerChange, type NewerChange } from './newer-change'
import { GetInput } from './schemas'

export interface ChangeMachine {
  id: string
  name: string
  node: string | null
  version: string | null
  state: string | null
  sentence: string | null
  verdict: string | null
  verdictReason: string | null
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
  } | null
}

export interface TimelineEntry {
  at: string
  kind: 'detected' | 'decision' | 'gate' | 'machine' | 'finished'
  text: string
  tone: 'plain' | 'good' | 'bad'
  count?: number
}

export interface ChangeDetail extends ChangeDto {
  changeSet: ChangeSet
  decisions: DecisionDto[]
  timeline: TimelineEntry[]
  /** Of a change that is over: the machines on its record, and no others that the group has had since. */
  machinesList: ChangeMachine[]
  /** What it is stuck on, and what to do about it, with the message as its controllers wrote it. */
  stuckOn: { machine: string | null; message: string; trouble: Explanation | null } | null
  /** How many machines were to be created when it was approved, and when that was; null: nothing was foretold. */
  createdForetold: { count: number; since: string } | null
  /** The newest change of the group that came after this one. */
  newer: NewerChange | null
}

const MOST = 500

/** One change with everything its page shows: fields, machines, decisions, and what happened when. */
export async function getChange(ctx: Ctx, input: unknown): Promise<ChangeDetail> {
  requirePermission(ctx, 'fleet:read')
  const { id } = parseInput(GetInput, input)
  const row = await db().change.findUnique({
    where: { id },
    include: {
      cluster: { select: { name: true } },
      decisions: { orderBy: { recordedAt: 'asc' } },
      approvals: { orderBy: { at: 'asc' } },
      progress: { orderBy: [{ startedAt: 'asc' }, { machineName: 'asc' }], take: MOST },
      gateCalls: { orderBy: { lastAt: 'desc' }, take: 200 },
    },
  })
  if (!row) throw new ServiceError('not-found', 'There is no such change.')
  const over = OVER.includes(row.state as ChangeState)
  const { clusterId, groupKind, groupName, namespace } = row
  const [machines, newer] = await Promise.all([
    db().machine.findMany({
      where: {
        ...{ clusterId, groupKind, groupName, namespace },
        ...(over ? { id: { in: row.progress.map((p) => p.machineId) } } : {}),
      },
      orderBy: [{ severity: 'desc' }, { name: 'asc' }],
      take: MOST,
    }),
    newerChange({ ...row, detectedAt: row.detectedAt.toISOString() }),
  ])
  const progress = new Map(row.progress.map((p) => [p.machineId, p]))
  const present = new Set(machines.map((m) => m.id))
  const step = (p: (typeof row.progress)[number] | undefined): ChangeMachine['progress'] =>
    p
      ? {
          state: p.state,
          predicted: p.predicted,
          message: p.message,
          startedAt: p.startedAt?.toISOString() ?? null,
          finishedAt: p.finishedAt?.toISOString() ?? null,
          ...{ updater: p.updater, updatersDone: p.updatersDone },
        }
      : null
  return {
    ...changeDto(row),
    changeSet: changeSetOf(row),
    decisions: row.decisions.map(decisionDto),
    timeline: timelineOf(row, newer),
    createdForetold: createdForetold(row.decisions),
    newer,
    stuckOn: row.state === 'stuck' ? stuckOn(row.stuckReason, machines) : null,
    machinesList: [
      ...machines.map(({ id: machineId, name, node, version, state, sentence, verdict, verdictReason }) => ({
        ...{ id: machineId, name, node, version, state, sentence, verdict, verdictReason },
        progress: step(progress.get(machineId)),
      })),
      ...row.progress
        .filter((p) => !present.has(p.machineId))
        .map((p) => ({
          ...{ id: p.machineId, name: p.machineName, node: null, version: null, state: null, sentence: null },
          ...{ verdict: null, verdictReason: null, progress: step(p) },
        })),
    ],
  }
}

/** As the fidelity counts it: of the newest plan, without what was coming before. */
function createdForetold(decisions: Decision[]): ChangeDetail['createdForetold'] {
  const speaks = ({ state, awaitsTime, acceptedAt }: Decision) =>
    ['accepted', 'seen'].includes(state) || (awaitsTime && acceptedAt !== null)
  const decision = decisions.findLast((one) => one.plan && one.mode !== 'reject' && speaks(one))
  const { created, createdBefore = 0 } = (decision?.plan ?? {}) as { created?: number; createdBefore?: number }
  if (!decision || created === undefined) return null
  return { count: created - createdBefore, since: decision.recordedAt.toISOString() }
}

/** The reason begins with the machine's name, or is a controller's own words about the group. */
function stuckOn(
  reason: string | null,
  machines: Pick<Machine, 'name' | 'error' | 'trouble' | 'troubleWords'>[],
): ChangeDetail['stuckOn'] {
  const bad = machines.find(({ name, error }) => error !== null && reason?.startsWith(`${name}: `))
  if (bad) {
    const trouble = explanation(bad.trouble, bad.troubleWords)
    return { machine: bad.name, message: bad.error!, trouble }
  }
  const known =
    reason &&
    explain({ ...{ api: 'cluster.x-k8s.io', infrastructure: null, condition: null, reason: null }, message: reason })
  return reason && known ? { machine: null, message: reason, trouble: explanationOf(known) } : null
}

type Full = Parameters<typeof changeDto>[0] & {
  progress: {
    machineName: string
    state: string
    message: string | null
    startedAt: Date | null
    finishedAt: Date | null
  }[]
  approvals: {
    mode: string
    actorId: string
    actorName: string
    reason: string | null
    at: Date
    endedAt: Date | null
    endedWhy: string | null
    decisionId: string | null
  }[]
  gateCalls: { hook: string; machine: string | null; answer: string; message: string; count: number; lastAt: Date }[]
}

const WAYS: Record<string, string> = {
  'in-place': 'approved in place',
  replace: 'approved replacing',
  reject: 'rejected',
}

/** How a machine's step begins and ends, by the step that it is at. */
const STEPS: Record<string, { begun: string; over: string }> = {
  done: { begun: 'began to be updated in place', over: 'updated in place' },
  created: { begun: 'is being created', over: 'created' },
  deleting: { begun: 'is being deleted', over: 'deleted' },
  deleted: { begun: 'is being deleted', over: 'deleted' },
  failed: { begun: 'began', over: 'failed' },
}

/** What was wanted, and what is known of who wrote it: a rollout that was under way when it was first seen has no beginning. */
function detectedText({ summary, author, heldBy, startedAt, detectedAt, decisions }: Full): string {
  const by = author && author !== 'unknown' ? author : null
  const underWay = foundUnderWay({
    heldBy,
    decided: decisions.length > 0,
    detectedAt: detectedAt.getTime(),
    startedAt: startedAt?.getTime() ?? null,
  })
  if (underWay) return `found under way: ${summary}${by ? `, written by ${by}` : ''}`
  return by ? `${summary}, written by ${by}` : `wanted: ${summary}`
}

const OVER_TEXT: Record<string, string> = { done: 'Done.', reverted: 'Changed back.' }

function timelineOf(row: Full, newer: NewerChange | null): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    {
      at: row.detectedAt.toISOString(),
      kind: 'detected',
      text: detectedText(row),
      tone: 'plain',
    },
  ]
  const add = (
    at: Date | null,
    kind: TimelineEntry['kind'],
    text: string,
    tone: TimelineEntry['tone'] = 'plain',
    count?: number,
  ) => {
    if (at) entries.push({ at: at.toISOString(), kind, text, tone, ...(count && count > 1 ? { count } : {}) })
  }
  for (const { mode, actorId, actorName, reason, at, endedAt, endedWhy, decisionId } of row.approvals) {
    // The last one that was missing is the decision itself.
    const decides = row.decisions.some((d) => d.id === decisionId && d.actorId === actorId && !cameLater(d))
    const why = reason ? `: ${reason}` : ''
    if (!decides) add(at, 'decision', `${actorName} ${WAYS[mode] ?? mode}${why}`)
    if (endedWhy === 'withdrawn') add(endedAt, 'decision', `${actorName} took the approval back`)
    if (endedWhy === 'fewer')
      add(endedAt, 'decision', `The approval of ${actorName} is over: fewer machines were wanted by then than they saw`)
  }
  for (const decision of row.decisions) {
    const why = decision.reason ? `: ${decision.reason}` : ''
    const words = `${decision.actorName} ${WAYS[decision.mode] ?? decision.mode}${why}`
    add(decision.recordedAt, 'decision', cameLater(decision) ? 'Its time had come: it was let go as approved.' : words)
    if (decision.awaitsTime && decision.acceptedAt)
      add(decision.voidedAt, 'decision', 'Held: machines that had begun were finished, the rest waited.')
    add(decision.acceptedAt, 'decision', 'The API server accepted it.', 'good')
    add(decision.seenAt, 'decision', 'Seen in the cluster.', 'good')
    if (decision.state === 'failed') add(decision.recordedAt, 'decision', decision.error ?? 'It failed.', 'bad')
  }
  if (row.pausedAt) {
    const why = row.pausedReason ? `: ${row.pausedReason}` : ''
    add(row.pausedAt, 'decision', `${row.pausedBy} paused it${why}`)
  }
  const step = steppedOf(row)
  if (step) add(row.stepWaitsAt, 'decision', `${stepWords(step)}.`)
  if (row.skipsAt)
    add(row.skipsAt, 'decision', `${row.skipsBy} has remediation skipped for machines while they are updated`)
  add(row.stoppedAt, 'decision', `It stopped by itself, by the policy ${row.stoppedBy}: ${row.stoppedWhy}`, 'bad')
  if (row.overrideAt)
    add(
      row.overrideAt,
      'decision',
      `${row.overrideBy} let it go outside its windows, freezes and waves: ${row.overrideReason}`,
    )
  for (const call of row.gateCalls) {
    const about = call.machine ? `${call.hook} for ${call.machine}` : call.hook
    add(call.lastAt, 'gate', `${about}: ${call.message}`, call.answer === 'failed' ? 'bad' : 'plain', call.count)
  }
  for (const machine of row.progress) {
    // Through before anything began: nothing happened to it.
    if (machine.state === 'done' && !machine.startedAt) continue
    const { begun, over } = STEPS[machine.state] ?? STEPS.done!
    add(machine.startedAt, 'machine', `${machine.machineName} ${begun}`)
    const bad = machine.state === 'failed'
    add(machine.finishedAt, 'machine', `${machine.machineName}: ${machine.message ?? over}`, bad ? 'bad' : 'good')
  }
  add(
    row.finishedAt,
    'finished',
    OVER_TEXT[row.state] ??
      (newer
        ? `Superseded by a newer change: ${newer.summary}.`
        : 'Over: its group, or its cluster, is gone from here.'),
    row.state === 'done' ? 'good' : 'plain',
  )
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
