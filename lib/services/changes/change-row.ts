import { isByRule } from '@/lib/domain/changes/reference'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import { configsOf } from '@/lib/domain/changes/configs'
import { LEVELS, type HoldLevel } from '@/lib/domain/holds'
import type { TooEarly } from '@/lib/domain/policies'
import type { Ctx } from '../context'
import type { Hold } from './hold-of'
import { placeOf, type Place } from '../waves/place'
import { shapeSaid, type ShapeSaid } from '../policies/shape'
import { snapshotOf } from '../policies/snapshot'
import { steppedOf, stoppedOf, type Paused, type Stepped, type Stopped, type TimingDto } from '../policies/timing'
import { isCounted } from './counted'
import { NO_ANSWER } from './no-answer'
import { triedAtOf, unansweredOf } from './tries'
import type { LetGoLater } from './why-let-go'
import { UNDER_WAY } from './states'

export type ChangeState = 'waiting' | 'rejected' | 'approved' | 'running' | 'stuck' | 'done' | 'superseded' | 'reverted'
/** `gathering`: approvals are missing, and nothing is decided yet; none is stored. */
export type DecisionState = 'gathering' | 'recorded' | 'applying' | 'accepted' | 'seen' | 'failed' | 'voided'
export type DecisionMode = 'in-place' | 'replace' | 'reject'

export const WAITING: ChangeState[] = ['waiting', 'rejected']
export const OVER: ChangeState[] = ['done', 'superseded', 'reverted']

/** One call as it is shown before and recorded after it was made. */
export interface DecisionCall {
  method: 'PATCH' | 'POST'
  path: string
  contentType: string
  body: unknown
  at?: string
  code?: number
  answer?: string
  /** Of a try before the last one, of what is tried again in its time. */
  earlier?: true
}

export interface DecisionDto {
  id: string
  changeId: string
  mode: DecisionMode
  state: DecisionState
  actorName: string
  /** Everybody whose approval it rests on, in their order; none is kept of old ones. */
  approvers?: string[]
  reason: string | null
  calls: DecisionCall[]
  error: string | null
  /** The API server's own words on the last call. */
  answer: string | null
  attempts: number
  /** How often it was tried, and no answer is known: it is tried again by itself. */
  unanswered?: number | null
  /** It failed, and may be stored all the same. */
  unsure?: boolean
  /** It failed, and the cluster did not say no: it may be stored, or was never asked. */
  noAnswer?: boolean
  /** When it was tried last, and could not be sent in its time (`error` says why): it is tried again by itself. */
  triedAt?: string | null
  recordedAt: string
  acceptedAt: string | null
  seenAt: string | null
  /** It is void because its group was held again, by somebody's pause or its times: what it was approved with stood then. */
  heldAgain?: boolean
  /** Of one that is being gathered. */
  missing?: number
  timing?: TimingDto
  /** It ends before it may go. */
  early?: TooEarly | null
  /** Nobody had to approve it: by which policy. */
  byItself?: string | null
  /** Of what had been approved before it was let go, on its page; null: it was let go with the approval. */
  later?: LetGoLater | null
}

export interface ChangeOutcome {
  updatedInPlace: number
  created: number
  deleted: number
  /** Of those deleted: by others than the rollout, with those that others are deleting. Absent: none. */
  byOthers?: number
  /** Of those: on their way. Absent: none. */
  byOthersDeleting?: number
  /** By whom nobody can tell: they are told as not foretold, and so is what was created beyond that. Of several decisions one is enough. */
  unforetold?: true
  /** Of those created: beyond what was foretold, in the place of what others deleted, or remediation. Absent: none. */
  madeUp?: number
  /** Of those deleted by the rollout: on their way, which a disruption budget may keep them on. Absent: none. */
  deleting?: number
  failed: number
  /** Of those deleted: found ill by a health check, or marked by somebody, in the middle of their update or after it. Absent: not kept. */
  remediated?: number
  /** Of those updated or created: they counted as failed, for they were not Ready in time, and are not since. Absent: none. */
  late?: number
  /** Of a pool, once a newer configuration took its place: nodes that had begun by then, and are not through. Absent: none. */
  begun?: number
  /** The same: nodes that began although no approval of it was in force, through or not. Absent: none. */
  unapproved?: number
}

export interface ChangeDto {
  id: string
  clusterId: string
  clusterName: string
  groupId: string
  groupKind: string
  namespace: string
  groupName: string
  workloadCluster: string
  fingerprint: string
  /** What the whole configurations of its machines shall be, in short; null: none is known. */
  configs: string | null
  state: ChangeState
  summary: string
  fromVersion: string | null
  toVersion: string | null
  /** Nothing of its machines differs: a rule of the group replaces them, as by a date. Absent: not so. */
  byRule?: true
  heldBy: Hold
  machines: number
  author: string | null
  stuckReason: string | null
  outlook: Outlook
  outcome: ChangeOutcome | null
  /** Once it is over: of how many machines something was foretold, and how many fared so. Null: of none. */
  foretold: number | null
  asForetold: number | null
  detectedAt: string
  /** It was stored before Drydock saw it: when it was written is not known. */
  firstSeen: boolean
  startedAt: string | null
  finishedAt: string | null
  /** Nothing of it is left to begin, and its machines were not all Ready since. */
  settling: boolean
  /** Somebody counted it as done as it was, and the worker has not written that yet. */
  counted?: true
  /** Approved so, and kept for its time: it goes by itself then. */
  dueMode: 'in-place' | 'replace' | null
  /** Who let it go outside its windows, freezes and waves. */
  override: { by: string; reason: string; at: string } | null
  /** Who paused it: nothing more of it begins until somebody resumes it. */
  paused: Paused | null
  /** Who approved it took that back: it is being held again. */
  pausedUntilHeld: boolean
  /** Why it stopped by itself: nothing more of it begins until somebody lets it go on. */
  stopped: Stopped | null
  /** Of a control plane that goes machine by machine: the one that is let go; null: all are. */
  oneByOne: { machine: string | null; done: number } | null
  /** Between two of its machines: nothing more of it begins until somebody lets the next one go. */
  step: Stepped | null
  /** Who has remediation of its machines skipped while they are updated. */
  skips: { by: string; at: string } | null
  /** Where it stands in the waves of its policy; null: it is not known, or there are none. */
  wave: Place | null
  /** What came of having its group written as its policies say; null: they say nothing of it. */
  shape: ShapeSaid | null
  /** Somebody let it go on whatever fails. */
  neverStops: boolean
  /** How pressing its hold is by its age. */
  holdLevel: HoldLevel
  /** The newest decision, where there is one. */
  decision: DecisionDto | null
}

export const changeSetOf = (row: Pick<Change, 'changeSet'>): ChangeSet => row.changeSet as unknown as ChangeSet
export const outlookIn = (row: Pick<Change, 'outlook'>): Outlook => row.outlook as unknown as Outlook
const outcomeIn = (row: Pick<Change, 'outcome'>): ChangeOutcome | null => row.outcome as unknown as ChangeOutcome | null
/** By whom a machine goes that was not foretold to go nobody can tell (worker/planner/unforetold.ts). */
export const unforetoldIn = (row: Pick<Change, 'outcome'>): boolean => outcomeIn(row)?.unforetold === true
/** Without what only the gate looks at, which is long. */
export type ListedDecision = Omit<Decision, 'pairs'>
export const NEWEST_DECISION = { orderBy: { recordedAt: 'desc' }, take: 1, omit: { pairs: true } } as const

export const callsOf = (row: Pick<Decision, 'calls'>): DecisionCall[] => row.calls as unknown as DecisionCall[]

/** What somebody gets who approved what needs more approvals than there are. */
export function gatheringDto(
  { actor }: Ctx,
  { changeId, mode, reason = null }: { changeId: string; mode: DecisionMode; reason?: string | null | undefined },
  { missing }: { missing: number },
  times: Required<Pick<DecisionDto, 'timing' | 'early'>>,
): DecisionDto {
  return {
    ...{ id: '', changeId, mode, state: 'gathering', actorName: actor.name, reason, missing, ...times },
    ...{ calls: [], error: null, answer: null, attempts: 0, recordedAt: new Date().toISOString() },
    ...{ acceptedAt: null, seenAt: null },
  }
}

export function decisionDto(row: ListedDecision): DecisionDto {
  const calls = callsOf(row)
  const policy = snapshotOf(row)
  return {
    byItself: policy?.byItself ? (policy.rules.approvals.policy?.name ?? '') : null,
    id: row.id,
    changeId: row.changeId,
    mode: row.mode as DecisionMode,
    state: row.state as DecisionState,
    actorName: row.actorName,
    approvers: policy?.approvals.map(({ actorName }) => actorName) ?? [],
    reason: row.reason,
    calls,
    error: row.error,
    answer: calls.filter((call) => call.answer !== undefined && !call.earlier).at(-1)?.answer ?? null,
    ...{ attempts: row.attempts, unanswered: unansweredOf(row) },
    // Of what surely was not stored it is cleared.
    unsure: row.state === 'failed' && row.sentAt !== null,
    noAnswer: row.state === 'failed' && (row.sentAt !== null || row.error?.startsWith(NO_ANSWER) === true),
    triedAt: triedAtOf(row)?.toISOString() ?? null,
    recordedAt: row.recordedAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    seenAt: row.seenAt?.toISOString() ?? null,
    ...(wasHeldAgain(row) ? { heldAgain: true } : {}),
  }
}

/** Void, and only because what it let go was to wait again. */
export const wasHeldAgain = ({
  state,
  awaitsTime,
  acceptedAt,
}: Pick<Decision, 'state' | 'awaitsTime' | 'acceptedAt'>): boolean =>
  state === 'voided' && awaitsTime && acceptedAt !== null

export function changeDto(row: Change & { cluster: { name: string }; decisions: ListedDecision[] }): ChangeDto {
  const newest = row.decisions.reduce<ListedDecision | null>(
    (a, b) => (a && a.recordedAt >= b.recordedAt ? a : b),
    null,
  )
  return {
    id: row.id,
    clusterId: row.clusterId,
    clusterName: row.cluster.name,
    groupId: row.groupId,
    groupKind: row.groupKind,
    namespace: row.namespace,
    groupName: row.groupName,
    workloadCluster: row.workloadCluster,
    ...{ fingerprint: row.fingerprint, configs: configsOf(changeSetOf(row)) },
    state: row.state as ChangeState,
    summary: row.summary,
    fromVersion: row.fromVersion,
    toVersion: row.toVersion,
    ...(isByRule(changeSetOf(row)) ? { byRule: true } : {}),
    heldBy: row.heldBy as ChangeDto['heldBy'],
    machines: row.machines,
    author: row.author,
    stuckReason: row.stuckReason,
    outlook: outlookIn(row),
    outcome: outcomeIn(row),
    foretold: row.foretold,
    asForetold: row.asForetold,
    ...{ detectedAt: row.detectedAt.toISOString(), firstSeen: row.firstSeen },
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    settling: row.settling && UNDER_WAY.includes(row.state),
    ...(UNDER_WAY.includes(row.state) && row.stoppedAt === null && isCounted(row, newest ?? undefined)
      ? { counted: true }
      : {}),
    dueMode: row.dueMode as ChangeDto['dueMode'],
    override: row.overrideAt
      ? { by: row.overrideBy ?? '', reason: row.overrideReason ?? '', at: row.overrideAt.toISOString() }
      : null,
    paused: row.pausedAt ? { by: row.pausedBy ?? '', reason: row.pausedReason, at: row.pausedAt.toISOString() } : null,
    pausedUntilHeld: row.pausedUntilHeld,
    ...{ stopped: stoppedOf(row), step: steppedOf(row), wave: placeOf(row.wave), shape: shapeSaid(row.shape) },
    oneByOne: row.steps === null ? null : { machine: row.stepMachine, done: row.stepsDone },
    skips: row.skipsAt && { by: row.skipsBy ?? '', at: row.skipsAt.toISOString() },
    neverStops: row.neverStops,
    holdLevel: LEVELS[row.holdLevel] ?? 'fresh',
    decision: newest && decisionDto(newest),
  }
}
