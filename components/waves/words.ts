import { count, type ChipTone } from '@/components/ui'
import { closedWords } from '@/components/updates/timing-words'
import { withoutSkip } from '@/lib/domain/waves/last'
import type { WaveBesides } from '@/lib/services/changes/wave-besides'
import type { RunDto, WaveDto } from '@/lib/services/waves/list-runs'

type Stands = Pick<
  WaveDto,
  'state' | 'skipped' | 'asksPerson' | 'needsPerson' | 'wanting' | 'through' | 'nobody' | 'was' | 'waited' | 'allBegun'
>

/** All that wants something in it has it: at most it soaks. */
export const isThrough = ({ wanting, through }: Pick<WaveDto, 'wanting' | 'through'>): boolean =>
  wanting > 0 && through === wanting

/** One after it waits for that, by its time alone. */
export const isSoaking = ({ name }: Pick<WaveDto, 'name'>, waves: readonly Pick<WaveDto, 'soaksAfter'>[]): boolean =>
  waves.some(({ soaksAfter }) => soaksAfter === name)

/** Where a wave stands, in a chip. `stopped`: nothing of its run begins, whatever it waits for besides. */
export function standsWords(wave: Stands, stopped: boolean, soaks = false): string {
  const { state, skipped, asksPerson, needsPerson, wanting, was, allBegun } = wave
  if (state === 'through' && !skipped)
    return wanting > 0 ? (soaks ? 'through, soaks' : 'through') : wasThrough(wave) ? 'was through' : 'nothing to do'
  if (stopped && state !== 'through') return 'stopped'
  if (skipped) return isThrough(wave) ? 'through, not waited for' : 'not waited for'
  if (isIdle(wave) && wanting > 0) return 'open, no machine waits'
  if (state === 'open' && wanting > 0) return needsPerson ? 'open, waits for somebody' : 'open'
  if (state === 'open') return was ? 'open, nobody tries it any more' : 'open, nobody tries it'
  if (allBegun) return 'all of its groups have begun'
  if (asksPerson) return 'waits for somebody’s word'
  return wasThrough(wave) ? 'was through' : 'waits'
}

/** It ran, and its groups want something else by now. */
const wasThrough = ({ wanting, was }: Pick<WaveDto, 'wanting' | 'was'>): boolean => wanting === 0 && was !== undefined

/** Nobody tries it, or no machine lacks what is left in it, and nothing waits for that any more. */
export const isIdle = ({
  state,
  wanting,
  nobody,
  waited,
}: Pick<WaveDto, 'state' | 'wanting' | 'nobody' | 'waited'>): boolean =>
  state === 'open' && (wanting === 0 || nobody === true) && !waited

/** Whether anybody may say of it that it is not waited for: something comes after it, and waits for it. */
export const isSkippable = (wave: WaveDto, { waves, stopped }: Pick<RunDto, 'waves' | 'stopped'>): boolean =>
  !wave.skipped &&
  wave !== waves.at(-1) &&
  stopped === null &&
  !isIdle(wave) &&
  (wave.state !== 'through' || isSoaking(wave, waves))

/** Why it waits; of one that nobody tries, what becomes of those after it. */
export function whyWords(
  wave: Pick<WaveDto, 'state' | 'wanting' | 'was' | 'nobody' | 'why' | 'waited' | 'allBegun'>,
): string {
  const { state, wanting, nobody, waited, allBegun } = wave
  // It is said in the row of the wave that it is about, which has the button.
  const why = withoutSkip(wave.why ?? '')
  if (allBegun) return ''
  if (nobody && wanting > 0 && state === 'open') return waited ? AWAY : ''
  if (state === 'waits' && wasThrough(wave)) return `what comes to want it again waits: ${why}`
  if (isIdle(wave)) return `${why}; nothing waits for that`
  return state === 'open' && wanting === 0
    ? `${why}: the waves after it wait until one of its groups is through with it, or somebody says that it is not waited for`
    : why
}

/** No machine lacks what is left of it: that may be so for a moment only. */
const AWAY =
  'no machine lacks what is left in it now, and one may come: the waves after it wait until somebody lets that go, or says that it is not waited for'

/** What its groups want, and have. */
export function groupsWords({
  wanting,
  through,
  there,
  was,
  none,
  has,
}: Pick<WaveDto, 'wanting' | 'through' | 'there' | 'was' | 'none' | 'has'>): string {
  const have = there > 0 ? `${there} ${there === 1 ? 'has' : 'have'} it already` : ''
  if (wanting === 0)
    return (
      have ||
      (was
        ? `none wants it now, ${was} ${was === 1 ? 'was' : 'were'} through`
        : none
          ? `none wants it now, and no machine of ${none} had to change`
          : has
            ? `none wants it now, ${has} ${has === 1 ? 'has it and does' : 'have it and do'} not count yet`
            : 'none wants it')
    )
  return `${through} of ${wanting} through${have && `, ${have}`}`
}

export function toneOf(wave: Stands, stopped: boolean): ChipTone {
  const { state, skipped, asksPerson, needsPerson, wanting, allBegun } = wave
  const isLeft = state === 'open' && !isIdle(wave) && (wanting === 0 || needsPerson === true)
  if ((asksPerson && !allBegun) || isLeft || (stopped && state !== 'through')) return 'needs'
  // That those after it do not wait for it is no success of its own.
  return state === 'through' && (!skipped || isThrough(wave)) ? 'good' : 'plain'
}

const FEW = 4

/** "2 groups with 24 machines go when nothing else holds them: a, b. 1 waits for approval: c." `atOnce`: nothing does. */
export function groupsOfWave({ groups, risks }: Pick<WaveBesides, 'groups' | 'risks'>, atOnce = false): string[] {
  const of = (which: WaveBesides['groups']) => {
    const machines = which.reduce((sum, one) => sum + one.machines, 0)
    const names = which.slice(0, FEW).map(({ name }) => name)
    const more = which.length > FEW ? ` and ${which.length - FEW} more` : ''
    return {
      count: `${count(which.length, 'group')} with ${count(machines, 'machine')}`,
      names: names.join(', ') + more,
      goes: `${which.length === 1 ? 'goes' : 'go'} ${atOnce ? 'at once' : `when nothing else holds ${which.length === 1 ? 'it' : 'them'}`}`,
    }
  }
  const [going, waiting] = [of(groups.filter(({ goes }) => goes)), of(groups.filter(({ goes }) => !goes))]
  return [
    ...(going.names ? [`${going.count} ${going.goes}: ${going.names}.`] : []),
    ...(waiting.names ? [`Waiting for approval: ${waiting.count}: ${waiting.names}.`] : []),
    ...risks.slice(0, FEW),
  ]
}

type Besides = Pick<WaveBesides, 'groups' | 'risks' | 'held' | 'more'>

/** The same of those in other waves that open because one is not waited for. */
export const groupsBySkip = (of: Besides): string[] =>
  of.groups.length === 0
    ? ['No wave opens by that now: nothing that waits goes by it at once.']
    : groupsOfWave(of, of.held.length === 0 && of.more === 0)

/** And of those whose waves are open when a run goes on that somebody stopped. */
export const groupsByResume = (of: Besides): string[] =>
  of.groups.length === 0
    ? ['Nothing that waits is in a wave that is open: nothing goes by it at once.']
    : groupsOfWave(of, of.held.length === 0 && of.more === 0)

/** What is passed over with a wave that is not waited for: those of its groups that are not through, and how they stand. */
export function passedOver(wave: Left): string[] {
  const { left, listed } = leftOf([wave])
  const are = left === 1 ? 'is' : 'are'
  return left > 0 ? [`Passed over: ${left} of its ${count(wave.wanting, 'group')} ${are} not through: ${listed}.`] : []
}

/** What is stopped with all waves of a run. */
export function stoppedWith(waves: readonly Left[]): string[] {
  const { left, listed } = leftOf(waves)
  return left > 0 ? [`${count(left, 'group')} ${left === 1 ? 'is' : 'are'} not through: ${listed}.`] : []
}

type Left = Pick<WaveDto, 'open' | 'wanting' | 'through'>

/** Groups that are not through: how many, and the first of them with how each stands. */
function leftOf(waves: readonly Left[]): { left: number; listed: string } {
  const left = waves.reduce((sum, { wanting, through }) => sum + wanting - through, 0)
  const open = waves.flatMap((wave) => wave.open)
  const names = open.slice(0, FEW).map(({ name, at }) => (at ? `${name} (${withoutSkip(at)})` : name))
  const more = left - names.length
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])]
  return { left, listed: all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all.join('') }
}

/** What becomes of the waves after one that is not waited for, and of what is in it. `why`: it waits itself, for that. */
export function skipWords(through: boolean, why: string | null): string {
  if (through) return 'It is through: the waves after it may go without its soaking.'
  const after = 'The waves after it may go before it is through, and without its soaking.'
  return why === null
    ? `${after} What is in it goes when it is approved, or at its time where nobody is asked.`
    : `${after} What is in it goes on waiting for its own wave, approved or not${why && `: ${why}`}.`
}

/** Who stopped a run, before somebody lets it go on. */
export const stoppedByWords = ({ by, reason }: { by: string; reason: string | null }): string =>
  `${by} stopped it${reason ? `: “${reason}”` : ''}.`

/** What still holds groups of a wave that begins, those with the most groups first. */
export function besidesWords({ held, more }: Pick<WaveBesides, 'held' | 'more'>): string[] {
  const groups = (n: number) => (n === 1 ? '1 group stays held' : `${n} groups stay held`)
  const rest = held.slice(FEW).reduce((sum, one) => sum + one.groups, 0)
  return [
    ...held.slice(0, FEW).map((one) => `${groups(one.groups)}. ${closedWords(one.timing)}`),
    ...(rest > 0 ? [`${groups(rest)} for other reasons.`] : []),
    ...(more > 0 ? [`${more} more were not looked at.`] : []),
  ]
}
