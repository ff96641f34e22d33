import { removesAny } from '@/lib/domain/changes/by-others'
import { stepWords } from '@/lib/domain/control-plane'
import { STOPPED } from '@/lib/domain/latch/names'
import { whyUnasked } from '@/lib/domain/latch/unasked'
import { foundUnderWay } from '@/lib/domain/changes/under-way'
import { fellAwayWords } from '@/lib/domain/people'
import { cameLater, snapshotOf } from '../policies/snapshot'
import { steppedOf } from '../policies/timing'
import { outlookIn, unforetoldIn, type changeDto, type ChangeOutcome } from './change-row'
import { COUNTED } from './counted'
import { decisionText, heldIn, heldText, heldWhy, triesOf, WAYS, type Decided } from './decided-told'
import type { Ended } from './ended'
import type { FellAway } from './fell-away'
import type { LeftBy } from './left-by'
import type { NewerChange } from './newer-change'
import { storyOf, type MachineStory } from './machine-story'
import type { SaidOfChange } from './said-of-change'
import type { WaveWordSaid } from './said-of-waves'
import { triedAtOf } from './tries'

export interface TimelineEntry {
  at: string
  kind: 'detected' | 'decision' | 'gate' | 'machine' | 'finished'
  text: string
  tone: 'plain' | 'good' | 'bad'
  count?: number
  /** Of what was said several times: when for the last time. */
  until?: string
}

type Full = Parameters<typeof changeDto>[0] & {
  progress: MachineStory[]
  approvals: {
    mode: string
    actorId: string
    actorName: string
    reason: string | null
    at: Date
    endedAt: Date | null
    endedWhy: string | null
    expiresAt: Date | null
    begun: boolean
    decisionId: string | null
    oneByOne: boolean
  }[]
  gateCalls: {
    hook: string
    machine: string | null
    answer: string
    message: string
    count: number
    firstAt: Date
    lastAt: Date
  }[]
}

const isUnderWay = ({ heldBy, startedAt, detectedAt, decisions }: Full): boolean =>
  foundUnderWay({
    ...{ heldBy, decided: decisions.length > 0, detectedAt: detectedAt.getTime() },
    startedAt: startedAt?.getTime() ?? null,
  })

/** What was wanted, and what is known of who wrote it: a rollout that was under way when it was first seen has no beginning. */
function detectedText(row: Full): string {
  const { summary, author, firstSeen } = row
  const by = author && author !== 'unknown' ? author : null
  const underWay = isUnderWay(row)
  if (underWay || firstSeen)
    return `${underWay ? 'found under way' : 'first seen'}: ${summary}${by ? `, written by ${by}` : ''}`
  return by ? `${summary}, written by ${by}` : `wanted: ${summary}`
}

const AGED: Partial<Record<SaidOfChange['what'], string>> = {
  reminded: 'People were reminded of its hold.',
  'before-everybody': 'Its hold was put before everybody.',
  dangerous: 'Its hold was called dangerous.',
}

function saidText({ what, at, by, reason, policy, was, forGood, before }: SaidOfChange): string {
  const why = reason ? `: ${reason}` : ''
  const aged = AGED[what]
  if (aged) return `${aged}${reason ? ` ${reason}` : ''}`
  if (what === 'let-go') return reason ?? 'Its hold was taken away outside Drydock.'
  if (what === 'moved-unapproved') return reason ?? 'Some of it moved, and nobody had approved it.'
  if (what === 'held-again') return reason ? `Held again: ${reason[0]!.toLowerCase()}${reason.slice(1)}` : 'Held again'
  if (what === 'held-late') return `Drydock paused its group, after that was stored${lateWords(at, was)}.`
  if (what === 'put-on-hold') return `Drydock put its group on hold${why}.`
  if (what === 'taken-back')
    return `Taken back${why}. How many it should have is counted anew when its group is let go.`
  if (what === 'left') return `Left as it was${why}.`
  if (what === 'not-taken-back')
    return `Not taken back, for the API server refuses that${why}. It may come while the group is held.`
  if (what === 'take-back-unread')
    return `Not taken back, for what that goes by cannot be read${why}. It may come while the group is held.`
  if (what === 'take-back-unknown') return `Not known whether it is taken back${why}. Drydock looks again.`
  if (what === 'scaled') return `Scaled while it was held${why}`
  if (what === 'shaped') return `Drydock wrote to its group, by the ${reason ?? 'policy'}.`
  if (what === 'rolled-back') return `${by} had its group written back to what it was before${why}`
  if (what === 'stopped') return `It stopped by itself, by the policy ${policy}${why}`
  if (what === 'went-on') return `${by} let it go on${forGood ? ', whatever fails' : ''}${why}`
  if (what === 'needs-word') return `Done only if somebody says so${why}`
  if (what === 'counted-done') return `${by} counted it as done, as it was${why}`
  if (what === 'group-paused') return `Somebody paused it themselves${reason ? `, in the cluster (${reason})` : ''}.`
  if (what === 'group-resumed') return 'Somebody’s own pause of it is gone.'
  if (what === 'cluster-paused') return 'Somebody paused its whole Cluster: nothing of it goes on'
  if (what === 'cluster-resumed') return 'Its Cluster is not paused any more'
  if (what === 'override') return `${by} had it not wait for its windows, freezes and waves${why}`
  if (what === 'override-ended') return `${by} had it held to its windows, freezes and waves again`
  if (what === 'next-machine') return `${by} let the next machine go`
  if (what === 'workers-grow') return `${by} let worker groups get machines while it is held`
  if (what === 'workers-held') return `${by} took back that worker groups get machines while it is held`
  if (what === 'all-machines') return `${by} let all others go`
  return what === 'paused'
    ? `${by} paused it${before ? ' before its cluster was disconnected' : ''}${why}`
    : `${by} resumed it`
}

/** Managed fields tell when it was written to the second. */
function lateWords(at: Date, written: string | null): string {
  const late = written === null ? NaN : Math.max(1, Math.ceil((at.getTime() - Date.parse(written)) / 1000))
  return late <= MOST_LATE ? `: within ${late} s of its being written` : ''
}
/** What was written longer before nobody watched. */
const MOST_LATE = 60

function waveText({ what, wave, by, reason, before, ended }: WaveWordSaid): string {
  if (what === 'word-ended') {
    const said = ended?.said === 'begin' ? `that the wave ${wave} begins` : `that the wave ${wave} is not waited for`
    return `What ${ended?.by} said counts no more, ${ended?.said === 'stop' ? 'that its waves are stopped' : said}${reason ? `: ${reason}` : ''}`
  }
  const words = {
    begin: `let the wave ${wave} begin`,
    'begin-ended': `took back that the wave ${wave} begins`,
    skip: `had the waves not wait for ${wave}`,
    stop: 'stopped its waves',
    'stop-ended': 'let its waves go on',
  }
  const said = `${by} ${words[what]}${reason ? `: ${reason}` : ''}`
  return before ? `Said before, and counts for it, too: ${said}` : said
}

/** Also when it was freed again since, for its calendar stopped the decision. */
const restsOn = (decision: Decided, { actorId, at, decisionId }: Full['approvals'][number]): boolean =>
  decision.id === decisionId ||
  (snapshotOf(decision)?.approvals.some((one) => one.actorId === actorId && one.at === at.toISOString()) ?? false)

const paceWords = ({ oneByOne }: { oneByOne: boolean }): string => (oneByOne ? ', one machine at a time' : '')

/** Before anything went that rests on it; null: it did not. */
function expiredAt({ expiresAt, begun, endedAt, decisionId }: Full['approvals'][number], row: Full): Date | null {
  const until = endedAt ?? row.finishedAt ?? new Date()
  const went = begun || row.decisions.some(({ id, acceptedAt }) => id === decisionId && acceptedAt !== null)
  return expiresAt && expiresAt <= until && !went ? expiresAt : null
}

const BAD: SaidOfChange['what'][] = ['stopped', 'let-go', 'held-again', 'moved-unapproved']
/** With the decisions that they are about. */
const TOLD_ELSEWHERE: SaidOfChange['what'][] = ['held', 'at-hook']

const OVER_TEXT: Record<string, string> = { done: 'Done.', reverted: 'Changed back.' }

/** Of its machines that were ill, and deleted: none of them was updated. */
const remediatedIn = ({ state, outcome }: Full): number =>
  state === 'done' ? ((outcome as ChangeOutcome | null)?.remediated ?? 0) : 0

/** All that was created was created for what others deleted, and nothing for the change. */
function isMadeUp({ outcome }: Full): boolean {
  const { created = 0, madeUp = 0 } = (outcome as ChangeOutcome | null) ?? {}
  return created > 0 && created === madeUp
}

/** What happened to a change, the oldest first. */
export function timelineOf(
  row: Full,
  successor: NewerChange | null,
  said: readonly SaidOfChange[],
  waveWords: readonly WaveWordSaid[] = [],
  ended: Ended | null = null,
  fell: FellAway | null = null,
  left: LeftBy | null = null,
): TimelineEntry[] {
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
    again?: { count: number; lastAt: Date },
  ) => {
    const more = again && again.count > 1 ? { count: again.count, until: again.lastAt.toISOString() } : {}
    if (at) entries.push({ at: at.toISOString(), kind, text, tone, ...more })
  }
  if (fell) add(row.detectedAt, 'decision', `${fellAwayWords(fell.names)}.`)
  for (const approval of row.approvals) {
    const { mode, actorName, reason, at, endedAt, endedWhy } = approval
    // The last one that was missing is the decision itself.
    const decides = row.decisions.some((d) => d.actorId === approval.actorId && !cameLater(d) && restsOn(d, approval))
    const why = reason ? `: ${reason}` : ''
    const expired = expiredAt(approval, row)
    if (expired) add(expired, 'decision', `The approval of ${actorName} expired`)
    if (!decides) add(at, 'decision', `${actorName} ${WAYS[mode] ?? mode}${paceWords(approval)}${why}`)
    if (endedWhy === 'withdrawn') add(endedAt, 'decision', `${actorName} took the approval back`)
    if (endedWhy === 'config')
      add(
        endedAt,
        'decision',
        `The approval of ${actorName} is over: the configuration of its machines was edited by then`,
      )
    if (endedWhy === 'fewer')
      add(endedAt, 'decision', `The approval of ${actorName} is over: fewer machines were wanted by then than they saw`)
  }
  const decided = row.decisions.filter((decision) => !triedAtOf(decision))
  for (const [i, decision] of decided.entries()) {
    const pace = row.approvals.find((one) => one.actorId === decision.actorId && restsOn(decision, one))
    const words = decisionText(decision, decided[i - 1], { said, waves: waveWords }, pace && paceWords(pace))
    add(decision.recordedAt, 'decision', words)
    const held = heldIn(decision, said)
    const unasked = held?.reason != null && whyUnasked(`${STOPPED}${held.reason}`) !== null
    const counted = held?.reason?.endsWith(COUNTED) ?? false
    if (decision.acceptedAt && (decision.awaitsTime || unasked || counted))
      add(
        decision.voidedAt,
        'decision',
        heldText(decision, row.progress, held ? heldWhy(held, said) : null, unasked),
        unasked ? 'bad' : 'plain',
      )
    add(decision.acceptedAt, 'decision', 'The API server accepted it.', 'good')
    add(decision.seenAt, 'decision', 'Seen in the cluster.', 'good')
    if (decision.state === 'failed') add(decision.recordedAt, 'decision', decision.error ?? 'It failed.', 'bad')
  }
  for (const { first, last, text, count } of triesOf(row.decisions))
    add(first, 'decision', text, 'bad', { count, lastAt: last })
  const told = new Set(decided.map((decision) => heldIn(decision, said)))
  for (const one of said)
    if (one.what === 'held' && one.reason && !told.has(one)) add(one.at, 'decision', `Held, ${one.reason}.`)
    else if (!TOLD_ELSEWHERE.includes(one.what))
      add(one.at, 'decision', saidText(one), BAD.includes(one.what) ? 'bad' : 'plain')
  for (const word of waveWords) add(word.at, 'decision', waveText(word))
  const step = steppedOf(row)
  if (step) add(row.stepWaitsAt, 'decision', `${stepWords(step)}.`)
  if (row.skipsAt)
    add(row.skipsAt, 'decision', `${row.skipsBy} has remediation skipped for machines while they are updated`)
  for (const call of row.gateCalls) {
    const about = call.machine ? `${call.hook} for ${call.machine}` : call.hook
    add(call.firstAt, 'gate', `${about}: ${call.message}`, call.answer === 'failed' ? 'bad' : 'plain', call)
  }
  const of = { madeUp: isMadeUp(row), removes: removesAny(outlookIn(row)), unforetold: unforetoldIn(row) }
  const found = row.firstSeen || isUnderWay(row) ? row.detectedAt : null
  for (const { at, text, tone } of row.progress.flatMap((one) => storyOf(one, found, of)))
    add(at, 'machine', text, tone)
  const remediated = remediatedIn(row)
  const over = remediated > 0 ? `Done, but for ${remediated} deleted by remediation.` : OVER_TEXT[row.state]
  add(
    row.finishedAt,
    'finished',
    over ??
      (successor && ended !== 'disconnected'
        ? `Superseded by a newer change: ${successor.summary}.`
        : `Over: ${ended === 'disconnected' ? leftText(left) : 'its group was deleted'}.`),
    row.state === 'done' && remediated === 0 ? 'good' : 'plain',
  )
  return once(entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)))
}

const leftText = (left: LeftBy | null): string =>
  left
    ? `${left.name} disconnected its cluster${left.moves ? ', although this moved by it' : ''}`
    : 'its cluster was disconnected'

/** What was said twice in a row is said once, with how often. */
function once(entries: TimelineEntry[]): TimelineEntry[] {
  const kept: TimelineEntry[] = []
  for (const entry of entries) {
    const last = kept.at(-1)
    if (!last || last.text !== entry.text || last.tone !== entry.tone) kept.push({ ...entry })
    else if (entry.at.slice(0, 19) !== last.at.slice(0, 19))
      Object.assign(last, { count: (last.count ?? 1) + (entry.count ?? 1), until: entry.until ?? entry.at })
  }
  return kept
}
