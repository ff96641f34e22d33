import { DRYDOCK } from '@/lib/providers/written-by'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { plainReason, SEEN_STORED } from '@/lib/domain/latch/names'
import { continuedOfChange } from './continued'
import { HELD_AGAIN } from './held-again'
import { LET_GO } from './let-go-outside'
import { NOTHING_WRITTEN, saidBy, UNREAD } from '../audit/not-written'
import { TAKE_BACK } from '../scaling/taken-back'
import { MOVED_UNAPPROVED } from './moved-unapproved'

/** Its hold grew old. */
type Aged = 'reminded' | 'before-everybody' | 'dangerous'

/** What people, and policies by themselves, did to a change while it was under way. */
export interface SaidOfChange {
  what:
    | 'stopped'
    | 'went-on'
    | 'counted-done'
    | 'needs-word'
    | 'paused'
    | 'resumed'
    | 'next-machine'
    | 'all-machines'
    | 'held'
    | 'rolled-back'
    | 'group-paused'
    | 'group-resumed'
    | 'cluster-paused'
    | 'cluster-resumed'
    | 'override'
    | 'override-ended'
    | 'workers-grow'
    | 'workers-held'
    | 'scaled'
    | 'taken-back'
    | 'not-taken-back'
    | 'take-back-unread'
    | 'take-back-unknown'
    | 'left'
    | 'shaped'
    | 'at-hook'
    | 'let-go'
    | 'held-again'
    | 'held-late'
    | 'put-on-hold'
    | 'moved-unapproved'
    | Aged
  at: Date
  by: string
  /** Of what was held: what held it. */
  reason: string | null
  /** Of what stopped by itself: by which policy; of what went on after that, by which it had, and why; of what was held late, when it was written. */
  policy: string | null
  was: string | null
  /** It does not stop by itself any more. */
  forGood: boolean
  /** Said of the change that this one continues, before their cluster was disconnected. */
  before?: true
}

const ACTIONS: Record<string, SaidOfChange['what']> = {
  'change.stopped-by-itself': 'stopped',
  'change.failures-accepted': 'went-on',
  'change.counted-done': 'counted-done',
  'change.needs-word': 'needs-word',
  'change.paused': 'paused',
  'change.resumed': 'resumed',
  'change.next-machine': 'next-machine',
  'change.all-machines': 'all-machines',
  'change.stopped': 'held',
  'change.rolled-back': 'rolled-back',
  'change.override': 'override',
  'change.override-ended': 'override-ended',
  'change.workers-grow': 'workers-grow',
  'change.workers-held': 'workers-held',
  [LET_GO]: 'let-go',
  [HELD_AGAIN]: 'held-again',
  [MOVED_UNAPPROVED]: 'moved-unapproved',
  'hold.reminded': 'reminded',
  'hold.put-before-everybody': 'before-everybody',
  'hold.dangerous': 'dangerous',
}
/** Where it waited at its hook: before its group had the version. */
const AT_HOOK = { action: 'change.waits', details: { path: ['heldBy'], equals: 'hook' } }
/** Of its group: surge, order and time-outs, as policies say. */
const SHAPED = 'change.shaped'
/** Of its group, while it was there. */
const SCALED = 'scaling.carried'
const UNMADE = TAKE_BACK.back.action
const LEFT = TAKE_BACK.left.action
/** Of its group, before its change was planned: paused after that was stored. */
const HELD_LATE = 'change.held'
/** So long before, at the most; on record it is only once it was stored. */
const BEFORE_MS = 60_000
const AFTER_MS = 5_000
/** The newest of them. */
const MOST = 200

const OF_GROUP: Record<string, SaidOfChange['what']> = {
  [SHAPED]: 'shaped',
  [SCALED]: 'scaled',
  [HELD_LATE]: 'held-late',
  [UNMADE]: 'taken-back',
  [LEFT]: 'left',
}

type SaidOf = Pick<
  Change,
  | 'id'
  | 'groupId'
  | 'groupKind'
  | 'detectedAt'
  | 'finishedAt'
  | 'clusterId'
  | 'namespace'
  | 'workloadCluster'
  | 'pausedAt'
>

/** By the audit, the oldest first: the change itself knows only what holds now. */
export async function saidOfChange(row: SaidOf): Promise<SaidOfChange[]> {
  const { id, groupId, groupKind, detectedAt, finishedAt } = row
  const since = await heldLateSince(row)
  const whileOpen = { gte: detectedAt, ...(finishedAt ? { lte: finishedAt } : {}) }
  const rows = await db().auditEvent.findMany({
    where: {
      ...{
        targetKind: groupKind,
        AND: [{ OR: [{ result: 'ok' }, { action: UNMADE, result: { in: ['refused', 'failed'] } }] }],
      },
      OR: [
        { targetId: id, action: { in: Object.keys(ACTIONS) } },
        { targetId: id, ...AT_HOOK },
        {
          targetId: groupId,
          action: HELD_LATE,
          reason: SEEN_STORED,
          at: { gt: since, lt: new Date(detectedAt.getTime() + AFTER_MS) },
        },
        // Pending already, it came to be governed, or to be held by more than the gate.
        {
          ...{ targetId: groupId, action: HELD_LATE, at: whileOpen },
          OR: [{ reason: null }, { reason: { not: SEEN_STORED } }],
        },
        { targetId: id, action: SHAPED, answer: { not: { contains: NOTHING_WRITTEN } } },
        { targetId: groupId, action: SCALED, at: whileOpen },
        {
          targetId: groupId,
          action: { in: [UNMADE, LEFT] },
          at: whileOpen,
          NOT: { answer: { contains: NOTHING_WRITTEN } },
        },
      ],
    },
    orderBy: { id: 'desc' },
    take: MOST,
    select: { action: true, result: true, at: true, actorName: true, reason: true, details: true, answer: true },
  })
  const said = rows.reverse().map(({ action, result, at, actorName, reason, details, answer }) => {
    const {
      policy = null,
      was = null,
      stops = null,
      written = null,
    } = details as Record<'policy' | 'was' | 'stops' | 'written', string | null>
    const forGood = stops === 'not any more'
    return {
      what: whatOf(action, result, reason, answer),
      at,
      by: actorName,
      reason: reason && `${plainReason(reason)}${result === 'failed' ? serverWords(answer) : ''}`,
      policy,
      was: action === HELD_LATE ? written : was,
      forGood,
    }
  })
  return [...said, ...(await pausedBefore(row, said)), ...(await pausesOf(row)), ...(await groupPausesOf(row))].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  )
}

function whatOf(action: string, result: string, reason: string | null, answer: string | null): SaidOfChange['what'] {
  if (result === 'failed') return answer?.startsWith(UNREAD) ? 'take-back-unread' : 'take-back-unknown'
  if (result === 'refused') return 'not-taken-back'
  if (action === HELD_LATE && reason !== SEEN_STORED) return 'put-on-hold'
  return ACTIONS[action] ?? OF_GROUP[action] ?? 'at-hook'
}

const serverWords = (answer: string | null): string =>
  answer ? `. The API server says: ${saidBy(answer).replace(/\.$/, '')}` : ''

/** Paused by somebody before its cluster was disconnected and connected again, it stays so until somebody resumes it. */
async function pausedBefore({ id, pausedAt }: SaidOf, said: readonly SaidOfChange[]): Promise<SaidOfChange[]> {
  const first = said.find(({ what }) => what === 'paused' || what === 'resumed')?.what
  if (first === 'paused' || (!first && !pausedAt)) return []
  const { pausedBy, pausedReason, pausedAt: at = null } = (await continuedOfChange(db(), id))?.paused ?? {}
  if (!at) return []
  const by = { by: pausedBy ?? '', reason: pausedReason ?? null, policy: null, was: null, forGood: false }
  return [{ what: 'paused', at, ...by, before: true }]
}

/** Of its whole Cluster, while it was open. Nobody knows by whom. */
async function pausesOf({
  clusterId,
  namespace,
  workloadCluster,
  detectedAt,
  finishedAt,
}: SaidOf): Promise<SaidOfChange[]> {
  const [from, to] = [detectedAt, finishedAt ?? new Date()]
  const pauses = await db().clusterPause.findMany({
    where: {
      clusterId,
      namespace,
      name: workloadCluster,
      since: { lt: to },
      OR: [{ until: null }, { until: { gt: from } }],
    },
    orderBy: { since: 'desc' },
    take: MOST_PAUSES,
  })
  const by = { by: 'Somebody', reason: null, policy: null, was: null, forGood: false }
  return pauses.flatMap(({ since, until }) => [
    ...(since > from ? [{ what: 'cluster-paused' as const, at: since, ...by }] : []),
    ...(until && until < to ? [{ what: 'cluster-resumed' as const, at: until, ...by }] : []),
  ])
}
const MOST_PAUSES = 50

/**
 * Of its group, while it was open, by somebody themselves; by whom, as managed fields tell. Who took it away they do not tell. One that
 * Drydock wrote is what is left of its own hold, or of somebody who paused a pool here: Activity has who.
 */
async function groupPausesOf({ clusterId, groupId, detectedAt, finishedAt }: SaidOf): Promise<SaidOfChange[]> {
  const [from, to] = [detectedAt, finishedAt ?? new Date()]
  const pauses = await db().groupPause.findMany({
    where: {
      ...{ clusterId, groupId, since: { lt: to } },
      AND: [{ OR: [{ until: null }, { until: { gt: from } }] }, { OR: [{ by: null }, { by: { not: DRYDOCK } }] }],
    },
    orderBy: { since: 'desc' },
    take: MOST_PAUSES,
  })
  const none = { by: 'Somebody', policy: null, was: null, forGood: false }
  return pauses.flatMap(({ since, until, by }) => [
    ...(since > from ? [{ what: 'group-paused' as const, at: since, reason: by && `written by ${by}`, ...none }] : []),
    ...(until && until < to ? [{ what: 'group-resumed' as const, at: until, reason: null, ...none }] : []),
  ])
}

/** What held the change before this one is not what held this. */
async function heldLateSince({ id, groupId, detectedAt }: SaidOf): Promise<Date> {
  const former = await db().change.findFirst({
    where: { groupId, id: { not: id }, detectedAt: { lte: detectedAt } },
    orderBy: { detectedAt: 'desc' },
    select: { detectedAt: true },
  })
  return new Date(Math.max(detectedAt.getTime() - BEFORE_MS, former?.detectedAt.getTime() ?? 0))
}
