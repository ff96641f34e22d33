import { db } from '@/lib/db/client'
import type { ChangeSet } from '@/lib/domain/changes'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { changeDto, changeSetOf, decisionDto, type ChangeDto, type DecisionDto } from './change-row'
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
  machinesList: ChangeMachine[]
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
      progress: { orderBy: [{ startedAt: 'asc' }, { machineName: 'asc' }], take: MOST },
      gateCalls: { orderBy: { lastAt: 'desc' }, take: 200 },
    },
  })
  if (!row) throw new ServiceError('not-found', 'There is no such change.')
  const machines = await db().machine.findMany({
    where: { clusterId: row.clusterId, groupKind: row.groupKind, groupName: row.groupName, namespace: row.namespace },
    orderBy: [{ severity: 'desc' }, { name: 'asc' }],
    take: MOST,
  })
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
    timeline: timelineOf(row),
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

type Full = Parameters<typeof changeDto>[0] & {
  progress: {
    machineName: string
    state: string
    message: string | null
    startedAt: Date | null
    finishedAt: Date | null
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

function timelineOf(row: Full): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    {
      at: row.detectedAt.toISOString(),
      kind: 'detected',
      text: `${row.summary}${row.author && row.author !== 'unknown' ? `, written by ${row.author}` : ''}`,
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
  for (const decision of row.decisions) {
    const why = decision.reason ? `: ${decision.reason}` : ''
    add(decision.recordedAt, 'decision', `${decision.actorName} ${WAYS[decision.mode] ?? decision.mode}${why}`)
    add(decision.acceptedAt, 'decision', 'The API server accepted it.', 'good')
    add(decision.seenAt, 'decision', 'Seen in the cluster.', 'good')
    if (decision.state === 'failed') add(decision.recordedAt, 'decision', decision.error ?? 'It failed.', 'bad')
  }
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
    row.state === 'done' ? 'Done.' : row.state === 'reverted' ? 'Changed back.' : 'Over, and went no further.',
    row.state === 'done' ? 'good' : 'plain',
  )
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
