import { stepWords } from '@/lib/domain/control-plane'
import { neverWords, togetherUnderWords, tooEarlyWords, underWords, utcAnd, type TooEarly } from '@/lib/domain/policies'
import { KEEPS, takenAway, type TheirPause } from '@/lib/domain/their-pause'
import type { Plan } from '@/lib/services/forecast/plan'
import type { TimingDto } from '@/lib/services/policies/timing'
import { frameAt } from './course-at'

/** Somebody stopped the whole run: its wave, as it stands; null: nobody did. */
export function stoppedRun({ besides, ...timing }: TimingDto): NonNullable<TimingDto['wave']>['place'] {
  const stopped = [timing, ...besides].find(({ why, wave }) => why === 'wave' && wave?.place?.state === 'stopped')
  return stopped?.wave?.place ?? null
}

/** Why machines may not move now: all that holds it, a sentence for each. */
export function closedWords(timing: TimingDto): string {
  const { besides } = timing
  // Of a wave that opens at a known time, what the calendar says from then on.
  const timed = [timing, ...besides].some(({ why, opens }) => why === 'wave' && opens !== null)
  const lead = ({ why }: TimingDto) => (timed && (why === 'window' || why === 'freeze') ? 'Then' : 'Besides,')
  return [firstWords(timing), ...besides.map((one) => `${lead(one)} ${lower(firstWords(one))}`)].join(' ')
}

const lower = (words: string): string => `${words[0]!.toLowerCase()}${words.slice(1)}`

function firstWords(timing: TimingDto): string {
  const { why, opens, zone, also, apart, under, paused, stopped, step, wave, shape } = timing
  if (paused) return `${paused.by} has paused it${paused.reason ? `: “${paused.reason}”` : ''}.`
  if (stopped)
    return stopped.policy ? `It stopped by itself: ${stopped.why} (policy ${stopped.policy}).` : `${stopped.why}.`
  if (step) return `${stepWords(step)}.`
  if (why === 'wave' && wave) return waveWords(wave)
  if (why === 'hook') return 'It goes on as it is until Cluster API gives it the version of its Cluster.'
  if (why === 'shape') return shapeWords(shape)
  const frozen = also.filter((one) => one.why === 'freeze')
  if (why === 'window' && frozen.length > 0) {
    const first = frozen.map((one, i) => (i === 0 ? closingWords(one) : lower(closingWords(one))))
    return `${first.join(', and ')}, and ${neverWords([timing, ...also], apart)}.`
  }
  if (apart.length > 0)
    return `It is outside the windows of the policies ${apart.join(' and ')}, which ${under ? togetherUnderWords(under) : 'are never open together'}.`
  const when = opens
    ? `until ${utcAnd(opens, zone)}`
    : why === 'freeze'
      ? 'for longer than a year'
      : 'and none opens within a year'
  const all = [timing, ...also].map((one, i) => (i === 0 ? closingWords(one) : lower(closingWords(one))))
  if (under) return `${all.join(', and ')}, which ${underWords(under)}.`
  return `${all.join(', and ')}, ${when}.`
}

const closingWords = ({ why, span, policy }: Pick<TimingDto, 'span' | 'policy'> & { why: string | null }): string =>
  why === 'freeze'
    ? `The policy ${policy} freezes it${span?.why ? ` (${span.why})` : ''}`
    : `It is outside the windows of the policy ${policy}`

/** What does not pass by itself says what to write. */
function shapeWords(shape: TimingDto['shape']): string {
  if (!shape?.stuck) return `It waits for its group: ${shape?.words}.`
  const advice = shape.advice ? ` ${shape.advice[0]!.toUpperCase()}${shape.advice.slice(1)}.` : ''
  return `Its group is not as its policies say: ${shape.words.replace(/\.$/, '')}.${advice}`
}

/** "It is in wave 2 of 3 (few) of the policy prod, which waits: canary is not through: a/w (under way)." */
function waveWords({ policy, place }: NonNullable<TimingDto['wave']>): string {
  if (!place) return `Its policy ${policy.name} has waves; which one it is in is found in a moment.`
  const which = `It is in wave ${place.index + 1} of ${place.of} (${place.name}) of the policy ${policy.name}`
  return place.state === 'stopped' ? `${which}, and ${place.why}.` : `${which}, which waits: ${place.why}.`
}

/** The same of what goes. What has begun goes on, whatever its wave does. */
export function openWaveWords(policy: string, place: NonNullable<NonNullable<TimingDto['wave']>['place']>): string {
  const which = `ave ${place.index + 1} of ${place.of} (${place.name}) of the policy ${policy}`
  return place.notYet ? `It has begun, and goes on; its w${which} is not open now.` : `W${which}, which is open.`
}

/** Its group has to be mended first: neither time nor anybody's word lets it go. */
export const isUnshaped = ({ shape, besides }: TimingDto): boolean =>
  shape?.stuck === true || besides.some((one) => one.shape?.stuck)

const allOf = (timing: TimingDto) => [timing, ...timing.besides]
/** It waits in a wave that somebody has to begin: no matter of time. */
const asksToBegin = (timing: TimingDto): boolean =>
  allOf(timing).some(({ why, wave }) => why === 'wave' && wave?.place?.asksThen)

/** What it waits for in a wave before its own does not come by itself: nobody tries it, or what does was rejected. */
const isLeft = (timing: TimingDto): boolean =>
  allOf(timing).some(({ why, wave }) => why === 'wave' && wave?.place?.needsPerson && !wave.place.asksPerson)

/** Of what is approved: it waits in its waves for nothing but people. */
export const waitsForPeople = (timing: TimingDto): boolean =>
  !timing.open && allOf(timing).some(({ why, wave }) => why === 'wave' && wave?.place?.needsPerson)

/** What people have to say about its waves before what is approved goes; null: nothing. */
export function waveAsks(timing: TimingDto): string | null {
  if (isLeft(timing)) return 'somebody sees to the wave before it'
  return asksToBegin(timing) ? 'somebody says that its wave begins' : null
}

/** No window of it opens, as far as anybody can say: what is approved goes when that is changed. */
export const neverOpens = (timing: TimingDto): boolean =>
  !timing.open && allOf(timing).some(({ why, opens }) => why === 'window' && opens === null)

/** What goes when its time comes, in front of that. Half way, nobody approved what its policy asks nobody about. */
export function goingWords({ due, goes }: { due: boolean; goes: boolean }, begun: boolean): string {
  const rest = begun ? 'what has not begun' : 'it'
  if (due && goes) return `Its policy asks nobody, and ${rest}`
  if (due) return `It is approved, and${begun ? ` ${rest}` : ''}`
  return goes ? `${rest[0]!.toUpperCase()}${rest.slice(1)}` : 'What is approved'
}

/** What becomes of what is approved: nothing is promised that does not come by itself. */
export function thenWords(timing: TimingDto, early: TooEarly | null, what: string, given: boolean): string {
  if (early) return tooEarlyWords(early, given)
  if (isUnshaped(timing)) return `${what} goes only when that is mended.`
  const run = stoppedRun(timing) !== null
  const all = allOf(timing)
  const asks = asksToBegin(timing)
  if (!run && isLeft(timing)) return `${what} does not go by itself: somebody has to ${leftWords(timing, asks)}.`
  if (asks && (timing.paused || timing.stopped || timing.step)) return `${what} goes when ${askedWords(timing)}.`
  if (timing.paused) return `${what} goes by itself when somebody resumes it${run ? ' and lets its waves go on' : ''}.`
  if (timing.stopped || timing.step)
    return `${what} goes by itself when somebody lets it${run ? ' and its waves' : ''} go on.`
  if (run) return `${what} waits until somebody lets its waves go on.`
  const calendars = all.filter(({ why }) => why === 'window' || why === 'freeze')
  const never = calendars.filter(({ opens }) => opens === null)
  if (never.some(({ why }) => why === 'window')) return `${what} does not go by itself before that is changed.`
  if (asks) return `${what} goes when ${askedWords(timing)}.`
  if (never.length > 0) return `${what} goes by itself when that is over.`
  return timing.besides.length > 0
    ? `${what} goes by itself when none of that holds it.`
    : `${what} goes by itself then.`
}

/** The same of what somebody paused themselves: only Drydock's own hold goes then. */
export const thenKeptWords = (timing: TimingDto, theirs: TheirPause): string =>
  `${thenWords(timing, null, 'Drydock’s own hold', true).replace(/\.$/, '')}; ${KEEPS[theirs]}, and nothing moves before ${takenAway(theirs)}.`

/** Whom the wave before its own waits for in vain, and what may be said of that. */
function leftWords({ paused, stopped, step }: TimingDto, asks: boolean): string {
  const first = paused ? 'resume it, and ' : stopped || step ? 'let it go on, and ' : ''
  const then = asks ? ', and then that its own begins' : ''
  return `${first}see to the wave before it, or say on the page Waves that it is not waited for${then}`
}

/** Of what waits in a wave that somebody has to begin, with all that is over before. */
function askedWords({ paused, stopped, step, besides }: TimingDto): string {
  const says = 'says that its wave begins'
  if (paused) return `somebody resumes it, and ${says}`
  if (stopped || step) return `somebody lets it go on, and ${says}`
  return besides.length > 0 ? `none of that holds it, and somebody ${says}` : 'somebody says so'
}

/** Before somebody approves what may not move now: why not, and what becomes of it. */
export const notNowWords = (timing: TimingDto, early: TooEarly | null): string[] | null =>
  timing.open ? null : [closedWords(timing), thenWords(timing, early, 'What is approved now', false)]

/** Until when machines may move, what ends that, and whether it goes on ever again. */
export function closesWords({ closes, closesBy, zone, last }: TimingDto, begun: boolean): string {
  const at = utcAnd(closes!, zone)
  const frozen = closesBy?.why === 'freeze'
  const by = frozen
    ? `the policy ${closesBy.policy} freezes it${closesBy.span?.why ? ` (${closesBy.span.why})` : ''}`
    : `the window of the policy ${closesBy?.policy} ends`
  const rest = last
    ? 'stays as it is: machines may not move again within a year'
    : begun
      ? `goes on ${frozen ? 'when that is over' : 'when the next window opens'}`
      : `waits until ${frozen ? 'that is over' : 'the next window'}`
  return begun
    ? `At ${at} ${by}, and it is held: what has begun by then is finished, the rest ${rest}.`
    : `Machines may move until ${at}, when ${by}: what has begun by then is finished, the rest ${rest}.`
}

/** "By what is foretold, about 2 of 5 machines are through by then."; null: nothing is foretold. */
export function throughWords(
  { closes }: Pick<TimingDto, 'closes'>,
  plan: Pick<Plan, 'frames' | 'stalled' | 'notBefore' | 'ends'> | null,
  now: number,
): string | null {
  const end = plan?.frames.at(-1)
  if (!closes || !plan || !end || plan.ends === null || plan.stalled || plan.notBefore) return null
  const { done } = frameAt(plan.frames, Math.max(0, Date.parse(closes) - now))!
  if (done >= end.done) return 'By what is foretold, all of it is through by then.'
  const of = `${end.done} machine${end.done === 1 ? '' : 's'}`
  return `By what is foretold, ${done === 0 ? 'none' : `about ${done}`} of ${of} ${done < 2 ? 'is' : 'are'} through by then.`
}
