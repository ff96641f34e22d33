import { fenceposts } from '../rollout'
import type { OutlookInput } from './outlook'
import { needsSpare, type Tally } from './tally'
import type { RevisionPair } from './types'

export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
const sentence = (parts: string[]): string => `${parts.join('; ')}.`

export function inPlaceWords(input: OutlookInput, tally: Tally): string {
  const { stay, replaced, spare } = tally
  const others = replaced - spare
  return sentence([
    `${plural(stay, 'machine')} of ${input.group.name} would be updated in place, ${pace(input, tally)}`,
    ...spareWords(spare),
    ...underWay(input),
    ...(others ? [`${plural(others, 'machine')} would be replaced (${firstReason(input.pairs)})`] : []),
    ...scaled(input, true),
  ])
}

export function replaceWords(input: OutlookInput, { replaced }: Tally): string {
  const { name } = input.group
  const what =
    replaced > 0
      ? `${plural(replaced, 'machine')} of ${name} would be replaced: ${replacePace(input)}`
      : `No machine of ${name} would be replaced`
  return sentence([what, ...underWay(input), ...scaled(input, replaced > 0)])
}

export const nothingWords = ({ group, machines }: OutlookInput): string =>
  machines === 0
    ? `No machine of ${group.name} would move: it has none. What it creates from now on is made with what it wants now.`
    : `No machine of ${group.name} would move: none differs as far as Drydock compares; what is created next may.`

const spareWords = (spare: number): string[] =>
  spare === 0
    ? []
    : spare === 1
      ? ['one spare is created first and one old machine is deleted']
      : [`${spare} spares are created first and ${spare} old machines are deleted`]

/** Those that cover its fields, in the order in which they work; what only several of them cover together names nobody. */
export function updatersOf({ changes }: Pick<RevisionPair, 'changes'>, order: readonly string[] = []): string {
  const place = (name: string) => order.indexOf(name)
  const names = [...new Set(changes.flatMap(({ coveredBy }) => coveredBy ?? []))].sort((a, b) => place(a) - place(b))
  if (names.length === 0) return 'the configured updaters'
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** A reason that names those that would be asked now names those whose patches were approved, in the order in which it names them: the gate asks no others. */
export function byApproved(reason: string, approved: Pick<RevisionPair, 'changes'> | undefined): string {
  if (!approved?.changes.some(({ coveredBy }) => coveredBy)) return reason
  return reason.replace(
    /^Updated in place by (.*?)(?=, unless|\.$)/,
    (_, now: string) => `Updated in place by ${updatersOf(approved, now.split(/, | and /))}`,
  )
}

/** Of those that are too many: so many are so because spares are there already, and not because somebody scaled it down. */
export const forSpares = ({ group, machines, made = 0 }: OutlookInput): number =>
  Math.max(0, Math.min(made, machines - group.replicas))

/** Of machines that were chosen when their group was held: nothing brings them back but that it goes on. */
export const outOfServiceWords = (n: number): string =>
  n === 1
    ? '1 machine stays out of service until its group goes on'
    : `${n} machines stay out of service until their group goes on`

/** A held group does not scale either: with the release, it becomes as large as it is wanted to be, also where spares are there. */
function scaled(input: OutlookInput, besides: boolean): string[] {
  const { group, machines, deleting = 0 } = input
  const spared = forSpares(input)
  const more = group.replicas - machines + spared
  const what = `${more > 0 ? 'created' : 'deleted'}${besides || spared > 0 ? ' besides' : ''}`
  const spares = spared === 1 ? 'the spare that is' : `the ${spared} spares that are`
  return [
    ...(spared > 0 ? [`${plural(spared, 'old machine')} would be deleted for ${spares} there already`] : []),
    ...(more !== 0
      ? [
          `${plural(Math.abs(more), 'machine')} would be ${what} (${group.replicas} wanted, ${machines} there${deleting ? `, and ${deleting} being deleted` : ''})`,
        ]
      : []),
  ]
}

const firstReason = (pairs: readonly RevisionPair[]): string =>
  (pairs.find((pair) => pair.certainReplace)?.certainReplace ?? '').replace(/\.$/, '')

/** What is under way or not well already counts, and nobody promises for it. */
function underWay({ updating = 0, unavailable = 0, outOfService: out = 0 }: OutlookInput): string[] {
  const [is, goes] = updating === 1 ? ['is', 'goes'] : ['are', 'go']
  const down = unavailable - updating - out
  return [
    ...(updating
      ? [`${plural(updating, 'machine')} that ${is} being updated now ${goes} on to the end of that first`]
      : []),
    ...(out
      ? [
          `${plural(out, 'machine')} that ${out === 1 ? 'is' : 'are'} out of service already ${out === 1 ? 'is' : 'are'} updated with it`,
        ]
      : []),
    ...(down > 0 ? [`${plural(down, 'machine')} ${down === 1 ? 'is' : 'are'} not available now`] : []),
  ]
}

/**
 * The controllers keep to it, and the rollout played forward says the same number. But while fewer are there or available
 * already, it says nothing about the next minutes.
 */
function floor({ group, strategy, machines, unavailable = 0 }: OutlookInput): string {
  const available = Math.max(0, group.replicas - fenceposts(strategy, group.replicas).unavailable)
  return unavailable > 0 || machines < available ? '' : `, never fewer than ${available} available`
}

/** Those that are too many may all be missing at once, besides those that the strategy lets be missing. */
const mayBeMissing = ({ group, strategy, machines }: OutlookInput): number =>
  fenceposts(strategy, group.replicas).unavailable + Math.max(0, machines - group.replicas)

/** Of those that are too many, some may begin their update before they are deleted: nobody knows which ones go. */
function pace(input: OutlookInput, { stay, removed }: Tally): string {
  const moving = stay + removed
  if (input.group.kind === 'KubeadmControlPlane' || moving <= 1) return 'one at a time'
  const atOnce = Math.min(moving, Math.max(1, mayBeMissing(input)))
  return `${atOnce === 1 ? 'one at a time' : `at most ${atOnce} at a time`}${floor(input)}`
}

function replacePace(input: OutlookInput): string {
  const { group, strategy } = input
  if (strategy.type === 'OnDelete') return 'each when somebody deletes it (strategy OnDelete)'
  if (group.kind === 'KubeadmControlPlane')
    return needsSpare(input) ? 'one at a time, the new one first' : 'one at a time, the old one first'
  // Spares that are there already are of its surge.
  const [{ surge }, spared] = [fenceposts(strategy, group.replicas), forSpares(input)]
  return `at most ${Math.max(surge, spared) - spared + mayBeMissing(input)} at a time${floor(input)}`
}
