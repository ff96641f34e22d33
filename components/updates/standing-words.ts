import type { ChipTone } from '@/components/ui'
import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import { movesNobody } from '@/lib/domain/changes/moves-nobody'
import type { Begun } from '@/lib/domain/changes/begun-of'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ApprovalDto, ChangePolicy, PolicyProblem } from '@/lib/services/changes/policy-of-change'
import { approvalsWords, goesWords, tooFewWords, type Resolved, type TooFew } from '@/lib/domain/policies'
import { capital } from '@/lib/domain/text'
import { KEEPS, PAUSED_AND, takenAway, type TheirPause } from '@/lib/domain/their-pause'
import type { Unheard } from '@/lib/services/changes/unheard'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { TimingDto } from '@/lib/services/policies/timing'
import { yetWords } from './approvals-asked'
import { othersGave } from './lasting-words'
import { closesWords, stoppedRun, waitsForPeople, waveAsks } from './timing-words'

export type Asked = ChangePolicy | PolicyProblem

export const isKnown = (asked: Asked): asked is ChangePolicy => 'rules' in asked

/** As lists have it. Null: what is asked for is not known. */
export const listedOf = (asked: Asked): ListedStanding | null => (isKnown(asked) ? asked.listed : null)

const approvals = (n: number): string => `${n} approval${n === 1 ? '' : 's'}`

type ForNobody = Pick<ChangeDto, 'state' | 'decision'> & Partial<Pick<ChangeDto, 'groupKind' | 'outlook' | 'stopped'>>

/** Nobody has approved it, and no machine waits for that; null: not so. */
export const forNobody = (
  { groupKind, outlook, ...change }: ForNobody,
  standing: Pick<ListedStanding, 'due' | 'goes'> | null | undefined,
): { words: string; tone: ChipTone; why: string } | null =>
  groupKind && outlook && movesNobody({ ...change, groupKind, outlook }) && !standing?.due && !standing?.goes
    ? { words: 'Held, no machine waits', tone: 'plain', why: 'Held for whichever node comes' }
    : null

/** What a change waits for, as a chip says it. `paused`: by somebody themselves, which no time ends. `made`: so many machines nobody let go. */
export function waitsFor(
  standing: ListedStanding | null | undefined,
  heldBy?: ChangeDto['heldBy'],
  begun: Begun | null = null,
  paused: TheirPause | null = null,
  made = 0,
): { words: string; tone: ChipTone } {
  if (heldBy && asksNobody({ heldBy }, standing))
    return { words: heldBy === 'person' ? 'Paused by somebody' : 'Nothing holds it', tone: 'plain' }
  if (!standing) return { words: 'Waiting for approval', tone: 'needs' }
  const { given, otherwise, needed, forbidden, due, goes: unasked, open, timing, early } = standing
  if (forbidden) return { words: 'Its policy does not allow it', tone: 'bad' }
  if (due && timing.step && !timing.paused && !timing.stopped)
    return { words: `${timing.step.done} of ${timing.step.of} done, the next one waits`, tone: 'needs' }
  if ((due || unasked) && timing.shape?.stuck)
    return { words: `${due ? 'Approved, and its' : 'Its'} group is not as its policy says`, tone: 'bad' }
  if (due && timing.stopped) return { words: 'Stopped by itself', tone: 'bad' }
  const run = (due || unasked) && !timing.paused ? stoppedRun(timing) : null
  if (run) return { words: run.stoppedBy ? `Stopped by ${run.stoppedBy}` : 'Its waves are stopped', tone: 'needs' }
  if (due && early) return { words: 'Approved, and expires before it may go', tone: 'needs' }
  const tone = paused || waitsForPeople(timing) ? 'needs' : 'plain'
  const goes = () => (paused ? `and ${PAUSED_AND[paused]}` : goesWords(timing, begun !== null))
  if (begun === 'all' && (due || unasked))
    return { words: 'Every node has begun, and goes on to its end', tone: 'plain' }
  if (begun && (due || unasked)) return { words: `Half way, ${goes()}`, tone }
  if (unasked) return { words: `No approval asked, ${goes()}`, tone }
  if (due) return { words: `Approved, ${goes()}`, tone }
  if (isEnough(standing)) return { words: 'To be approved once more', tone: 'needs' }
  if (open && given + otherwise === 0)
    return { words: 'No approval asked, whether in place is not known yet', tone: 'plain' }
  const few = standing.tooFew ? ', too few may approve it' : ''
  const lapsed = standing.expired ? `, ${standing.expired} expired` : ''
  const left = `${given + otherwise > 0 ? approvalsWords(standing) : `waiting for ${approvals(needed)}`}${lapsed}${few}`
  // Nobody governs it by the latch.
  if (heldBy === 'gate' && made > 0) return { words: `${made} made unapproved, the rest ${left}`, tone: 'needs' }
  if (heldBy === 'gate') return { words: `Held by the update gate, ${left}`, tone: 'needs' }
  return { words: `${left[0]!.toUpperCase()}${left.slice(1)}`, tone: 'needs' }
}

/** Its policy asks for fewer by now, or more had approved it than were asked and one took that back: nobody has let it go since. */
export const isEnough = ({ given, needed, due, goes: unasked, forbidden }: ListedStanding): boolean =>
  !due && !unasked && forbidden === null && given > 0 && given >= needed

/** Nothing keeps it but that it is to be sent, which a worker does. */
export const soonWords = ({ due }: Pick<ListedStanding, 'due'>): string =>
  due
    ? 'Approved: it goes as soon as a worker of Drydock sends that to its cluster'
    : 'Its policy asks nobody: it goes in a moment'
const ENOUGH_STAND = 'the approvals that stand are enough by now'
export const ENOUGH = `${capital(ENOUGH_STAND)}, but it does not go by itself: somebody has to approve it once more`

/** Nobody governs it, and the gate does not ask about it either. */
export const isFree = ({
  groupKind,
  governance: g,
}: Pick<UpdateDetail, 'groupKind'> & Partial<Pick<UpdateDetail, 'governance'>>): boolean =>
  g?.governed === false && (groupKind === 'MachineConfigPool' || g.gateState !== 'registered')

/**
 * Nobody is asked for it, and nobody can decide on it here; null: somebody is, or may be yet: what nobody governs, the gate holds when
 * it moves.
 */
export function nobodyDecides({
  heldBy,
  groupKind,
  governance: g,
  policy,
}: Pick<UpdateDetail, 'heldBy' | 'groupKind' | 'governance' | 'policy'>): string | null {
  if (!asksNobody({ heldBy }, listedOf(policy)) || !isFree({ groupKind, governance: g })) return null
  const what = groupKind === 'MachineConfigPool' ? 'pool' : 'group'
  return heldBy === 'person'
    ? `Nobody is asked: Drydock does not govern this ${what}, and it goes when that pause is taken away.`
    : `Nobody is asked: Drydock does not govern this ${what}.`
}

/** Behind what somebody waits for: that it does not come, and the way out. */
const orNever = (words: string, tooFew: TooFew | null | undefined): string =>
  tooFew && words ? `${words} ${tooFewWords(tooFew)}` : words

/** What this person is to it, in few sentences under the buttons; empty: nothing of note. `plane`: it waits for its control plane. */
export const yoursWords = (
  asked: Asked,
  heldBy?: ChangeDto['heldBy'],
  theirs: TheirPause | null | undefined = null,
  plane = false,
): string => orNever(roleWords(asked, heldBy, theirs, plane), isKnown(asked) ? asked.listed.tooFew : null)

function roleWords(
  asked: Asked,
  heldBy: ChangeDto['heldBy'] | undefined,
  theirs: TheirPause | null | undefined,
  plane: boolean,
): string {
  if (!isKnown(asked)) return ''
  const { listed, unasked } = asked
  if (heldBy && asksNobody({ heldBy }, listed)) return ''
  if (listed.due) return dueWords(listed, theirs, plane)
  if (unasked?.goes && theirs) return `Its policy asks nobody, and ${KEEPS[theirs]}.`
  if (unasked?.goes && plane) return 'Its policy asks nobody: what is asked for is a decision on its control plane.'
  if (unasked?.goes)
    return `Its policy asks nobody: it goes by itself ${listed.timing.open ? 'in a moment' : listed.timing.paused ? 'once somebody has resumed it, and nothing else holds it' : 'when nothing else holds it'}.`
  if (listed.forbidden) return ''
  if (asked.own) return 'You wrote it: somebody else has to approve it.'
  const mine = asked.approvals.findLast(({ mine: is, endedAt }) => is && endedAt === null)
  if (!mine && unasked)
    return `Yours to approve: its policy asks nobody, but it does not go by itself${yetWords(unasked)}. ${unasked.why}`
  if (!mine) return [isEnough(listed) ? `${ENOUGH}.` : 'Yours to approve.', ...othersGave(asked)].join(' ')
  if (mine.whyNot) return `Your approval ${notCounted(mine.whyNot, asked.rules)}. Approve it again.`
  const { missing, needed } = asked.ways[mine.mode]
  const way = mine.mode === 'in-place' ? 'in place' : 'replacing'
  return `You approved it ${way}; ${missing === 0 ? `${ENOUGH_STAND}: approve it once more to let it go` : `${missing} more of ${needed} ${missing === 1 ? 'is' : 'are'} needed`}.`
}

/** Who else approved it so, and wants one machine, then wait: it goes so, whatever is chosen now. */
export const wantOneByOne = (asked: Asked, mode: string): string[] =>
  !isKnown(asked)
    ? []
    : asked.approvals.flatMap(({ actorName, oneByOne, mine, endedAt, whyNot, mode: way }) =>
        oneByOne && !mine && way === mode && endedAt === null && whyNot === null ? [actorName] : [],
      )

/** What this person approved, counts, and may take back: approving it so once more is nothing to offer. Null: nothing. */
export function mineToTakeBack(asked: Asked): ApprovalDto | null {
  if (!isKnown(asked) || asked.listed.due) return null
  const mine = asked.approvals.findLast(({ mine: is, endedAt }) => is && endedAt === null)
  return mine && mine.takeBack && mine.whyNot === null && asked.ways[mine.mode].missing > 0 ? mine : null
}

/** The same where enough approve it and it waits for its time: no button to approve stands there any more. */
export function standingToTakeBack(asked: Asked): ApprovalDto | null {
  if (!isKnown(asked) || !asked.listed.due) return null
  return (
    asked.approvals.findLast(({ mine, endedAt, takeBack }) => mine && endedAt === null && takeBack === 'plain') ?? null
  )
}

/** The same where it was let go already, and no machine has begun by it. */
export const holdsAgain = (asked: Asked): boolean =>
  isKnown(asked) && asked.approvals.some(({ mine, takeBack }) => mine && takeBack === 'holds')

export const HOLD_AGAIN = 'Take back, and hold it again'

const BY_ITSELF = 'Its policy asks nobody: it goes by itself, as soon as its windows, freezes, waves and pauses let it.'
const GOES = 'It goes on with what it was approved with, as soon as its windows, freezes, waves and pauses let it.'

/** That somebody stopped its whole run besides, which no word about this change alone ends. */
function wavesToo(asked: Asked): string {
  const run = isKnown(asked) ? stoppedRun(asked.listed.timing) : null
  return run ? ` Now ${run.why}: nothing more of it goes before somebody lets those go on, too.` : ''
}

/** What becomes of what stopped by itself when somebody lets it go on: it goes only with what is asked for by now. */
export function goOnWords({ dueMode, outlook }: Pick<ChangeDto, 'dueMode' | 'outlook'>, asked: Asked): string {
  if (!isKnown(asked)) return 'What its policies ask for is not known: it waits until it is.'
  const { listed, ways, unasked } = asked
  if (unasked?.goes) return BY_ITSELF + wavesToo(asked)
  if (listed.due) return GOES + wavesToo(asked)
  // What policies changed since it stopped is asked of it, too.
  const mode = dueMode ?? listed.way
  const forbidden = listed.forbidden ?? ways[mode].forbidden
  if (forbidden) return `It does not go on so: ${forbidden}`
  if (mode === 'in-place' && outlook.inPlace === null && outlook.whyNotInPlace)
    return `It does not go on in place: ${outlook.whyNotInPlace}`
  const { missing } = ways[mode]
  if (missing === 0) return 'It waits until somebody approves it once more.'
  return orNever(
    `${approvals(missing)} ${missing === 1 ? 'is' : 'are'} missing by now: it waits for ${missing === 1 ? 'it' : 'them'}.`,
    listed.tooFew,
  )
}

/** The same of what somebody paused: where it is not held yet, nothing is asked anew. */
export function resumeWords(
  change: Pick<ChangeDto, 'dueMode' | 'outlook' | 'state'> & { stopped: { policy: string } | null },
  asked: Asked,
): string {
  const { stopped } = change
  if (stopped?.policy) return 'It also stopped by itself: nothing more of it goes until somebody chooses “Go on…”, too.'
  if (stopped) return 'It also stopped: nothing more of it goes by this alone.'
  return change.state === 'waiting' ? goOnWords(change, asked) : GOES + wavesToo(asked)
}

type Stopping = Pick<UpdateDetail, 'heldWords' | 'unheard' | 'settling'> & Partial<Pick<UpdateDetail, 'machinesList'>>

/** Whatever is not through is on its way: of so many as the page names. */
export const allBegun = ({ machinesList = [] }: Partial<Pick<UpdateDetail, 'machinesList'>>): boolean =>
  machinesList.length > 0 &&
  machinesList.length < MOST_NAMED &&
  machinesList.every(({ progress }) => progress !== null && hasBegun(progress))
/** What is ill, and had not begun, waits all the same. */
const hasBegun = ({ state, startedAt }: NonNullable<UpdateDetail['machinesList'][number]['progress']>): boolean =>
  state !== 'waiting' && !(state === 'failed' && startedAt === null)
/** More are not listed (lib/services/changes/get-change.ts). */
const MOST_NAMED = 500

/** Whatever is not through goes on to its end: no hold, and no time of its own, keeps any of it. */
export const nothingToHold = (change: Stopping): boolean =>
  change.settling || (change.heldWords === null && allBegun(change))

/** Of what is to be held: not before the hold is on its group, and nobody puts it there whom nobody hears of. */
export function restWords(change: Stopping): string {
  const { heldWords, unheard, settling } = change
  if (settling) return 'Every machine has it: nothing is left to hold.'
  if (heldWords === null && allBegun(change))
    return 'Every machine has begun, and goes on to its end: nothing is left to hold.'
  const rest = `Machines that have begun are finished; the rest is ${heldWords !== null ? 'held' : 'being held'}.`
  return heldWords === null && unheard ? `${rest} ${nobodyHolds(unheard)}` : rest
}

/** Who would put the hold on the object cannot. */
export const nobodyHolds = (unheard: Unheard): string =>
  unheard === 'no-worker'
    ? 'No worker of Drydock follows its cluster: nobody holds it until one does, and machines may begin until then.'
    : 'Its cluster does not answer Drydock: it is not held before that, and machines may begin until then.'

/** The same of what is held still, and may be let go. */
const nobodyHoldsThen = (unheard: Unheard): string =>
  unheard === 'no-worker'
    ? 'While no worker of Drydock follows its cluster, nobody holds it then.'
    : 'While its cluster does not answer Drydock, it is not held then.'

/** Until when machines may move, and who would not hold it then. */
export const closesFor = (timing: TimingDto, begun: boolean, unheard: Unheard | null): string =>
  [closesWords(timing, begun), ...(unheard ? [(begun ? nobodyHolds : nobodyHoldsThen)(unheard)] : [])].join(' ')

/** What somebody's pause means for it: what nobody has approved needs an approval besides. */
export function pausedWords(change: Stopping & { state: ChangeDto['state']; policy: Asked }): string {
  const { state, policy } = change
  if (state !== 'waiting' && state !== 'rejected') return restWords(change)
  return isKnown(policy) && !policy.listed.due && !policy.listed.goes
    ? 'Nothing more begins before it is approved and somebody resumes it: it needs both, in either order.'
    : 'Nothing more begins before somebody resumes it.'
}

/** `goes`: nobody approved it, its policy asks nobody, and it is half way. */
function dueWords(
  { timing, early, goes }: ListedStanding,
  theirs: TheirPause | null | undefined,
  plane: boolean,
): string {
  const [lead, it] = goes ? ['Its policy asks nobody', 'it '] : ['It is approved', '']
  const too = theirs ? `, and ${takenAway(theirs)}` : ''
  if (timing.paused) return `${lead}, and ${it}goes on when somebody resumes it${too}.`
  if (timing.stopped)
    return `${goes ? lead : 'What it was approved with stands'}: it goes on when somebody lets it go on${too}.`
  if (timing.step) return `${lead}: all that is asked for is the next machine.`
  if (stoppedRun(timing)) return `${lead}, and ${it}waits until somebody lets its waves go on.`
  if (early) return 'It is approved, and that expires before it may go.'
  const asks = waveAsks(timing)
  if (asks) return `${lead}, and ${it}waits until ${asks}.`
  if (plane && !theirs) return `${lead}: what is asked for is a decision on its control plane.`
  return theirs ? `${lead}, and ${KEEPS[theirs]}.` : `${lead}: nothing more is asked of anybody.`
}

/** Of how many it is one, before somebody approves. */
export function oneOfWords(asked: Asked, mode: 'in-place' | 'replace'): string | null {
  if (!isKnown(asked)) return null
  const { needed, missing, oneMore } = asked.ways[mode]
  if (needed === 1) return null
  const mine = asked.approvals.some((a) => a.mine && a.mode === mode && a.whyNot === null)
  const left = missing - (mine ? 0 : 1)
  const why = oneMore ? ' Who wrote the change is not known, so one more is asked for than the policy says.' : ''
  return `${approvals(needed)} let it go. ${left > 0 ? `With yours, ${left} more ${left === 1 ? 'is' : 'are'} missing: nothing moves yet.` : 'Yours is the last that is missing.'}${why}${left > 0 && asked.listed.tooFew ? ` ${tooFewWords(asked.listed.tooFew)}` : ''}`
}

const ENDS: Record<string, string> = {
  withdrawn: 'taken back',
  rejected: 'ended by a rejection',
  anew: 'given anew afterwards',
  fewer: 'over: fewer machines were wanted afterwards, which this person had not seen',
  config: 'over: the configuration of its machines was edited beside what differs, which this person had not seen',
  void: 'over with the decision it was a part of',
}

type Said = Pick<Resolved, 'expiresAfter' | 'reasonRequired' | 'notTheAuthor'>

/** Why an approval does not count, behind "it". */
function notCounted(why: NonNullable<ApprovalDto['whyNot']>, rules: Said): string {
  const by = (rule: keyof Said) => `the policy ${rules[rule].policy?.name}`
  switch (why) {
    case 'over':
      return 'is over'
    case 'expired':
      return 'has expired'
    case 'too-old':
      return `is too old: ${by('expiresAfter')} lets one last ${rules.expiresAfter.value}`
    case 'no-reason':
      return `does not count: it gives no reason, and ${by('reasonRequired')} asks for one`
    case 'author':
      return `does not count: who wrote a change does not approve it (${by('notTheAuthor')})`
    case 'disabled':
      return 'does not count: the account was disabled since'
    case 'role':
      return 'does not count: this person may not approve any more'
    case 'fingerprint':
      return 'does not count: it was given for another state of the group'
    case 'fewer':
      return 'does not count: more machines were wanted when it was given, and those that are too many by now would be deleted'
    case 'deletions':
      return 'does not count: fewer machines were to be deleted when it was given, and more are by now'
    case 'at-once':
      return 'does not count: fewer nodes were to go at once when it was given'
  }
}

/** What an approval is now: "stands", "has expired", "taken back". */
export function approvalState(
  { endedWhy, endedAt, expiresAt, whyNot }: Pick<ApprovalDto, 'endedWhy' | 'endedAt' | 'expiresAt' | 'whyNot'>,
  rules: Said,
  now: number,
  newer: { summary: string } | null = null,
): string {
  // What had expired by then, nothing else ended.
  if (endedAt && endedWhy !== 'withdrawn' && expiresAt && expiresAt <= endedAt)
    return endedWhy === 'anew' ? 'expired, and given anew afterwards' : 'has expired'
  if (newer && (endedWhy === 'void' || !endedAt)) return `void: ${newer.summary} is wanted since`
  if (endedAt) return ENDS[endedWhy ?? ''] ?? 'over'
  if (whyNot) return notCounted(whyNot, rules)
  return expiresAt && Date.parse(expiresAt) <= now ? 'has expired' : 'stands'
}

/** The same of what enough approve: they may approve it once more, too. */
export function onceMoreWords(people: NonNullable<ChangePolicy['mayApprove']>): string {
  if (people.count === 0) return `${ENOUGH}. Whoever approved it already may do so.`
  return `${ENOUGH}. ${mayApproveWords(people)} Whoever approved it already may do so, too.`
}

/** Whom somebody could ask: "Who may still approve it: Ada, Bo and 3 more." */
export function mayApproveWords({ count, names }: NonNullable<ChangePolicy['mayApprove']>): string {
  if (count === 0) return 'Nobody else may approve it: whoever may has done so, or wrote it.'
  if (!names) return `${count} ${count === 1 ? 'person' : 'people'} may still approve it.`
  const more = count - names.length
  if (more > 0) return `Who may still approve it: ${names.join(', ')} and ${more} more.`
  const last = names.at(-1)
  return `Who may still approve it: ${names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last}.`
}
