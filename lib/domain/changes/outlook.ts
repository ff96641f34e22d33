import { fenceposts, type RolloutStrategy } from '../rollout'
import type { Verdict, VerdictCounts } from '../verdict'
import type { Outcome, Outlook, RevisionPair } from './types'

/** What updaters said about one pair: the paths that nobody covers, or why they could not be asked. */
export type Coverage = { uncovered: string[] } | { unknown: string }

export interface OutlookInput {
  group: { kind: string; name: string; replicas: number }
  strategy: RolloutStrategy
  /** All machines of the group. */
  machines: number
  pairs: readonly RevisionPair[]
  /** By the name of the pair's old revision. */
  coverage: ReadonlyMap<string, Coverage>
  /** Machines that are not available now, those that are being updated in place among them. */
  unavailable?: number
  /** Machines that are being updated in place now: they go on to their end, whatever is approved. */
  updating?: number
  /** Absent: in-place updates can be asked for; else why not, in one sentence. */
  impossible?: string
}

const NOT_YET = 'No updater has been asked yet.'

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** Whether Cluster API must bring a spare machine even where everything goes in place. */
export function needsSpare({ group, strategy }: Pick<OutlookInput, 'group' | 'strategy'>): boolean {
  if (strategy.type === 'OnDelete') return false
  if (group.kind === 'KubeadmControlPlane') return strategy.maxSurge !== 0 && strategy.maxSurge !== '0'
  return fenceposts(strategy, group.replicas).unavailable === 0
}

const ONLY_ONE =
  'The strategy brings a spare machine first and then deletes an old one: of a single machine, none is left to be updated in place.'

/** A group of one with a spare: what would be updated in place is what is deleted. */
const onlyOne = (input: Omit<OutlookInput, 'pairs'>): boolean =>
  needsSpare(input) && input.machines <= 1 && input.group.replicas <= 1

/** What would become of the machines of one pair if it were approved in place. */
export function verdictOf(
  pair: RevisionPair,
  input: Omit<OutlookInput, 'pairs'>,
): { verdict: Verdict; reason: string } {
  if (pair.missing)
    return { verdict: 'blocked', reason: `The template ${pair.missing} does not exist: nothing moves before it does.` }
  if (pair.certainReplace) return { verdict: 'replace', reason: pair.certainReplace }
  if (input.impossible) return { verdict: 'replace', reason: input.impossible }
  if (onlyOne(input)) return { verdict: 'replace', reason: ONLY_ONE }
  const coverage = input.coverage.get(pair.from)
  if (!coverage) return { verdict: 'unknown', reason: NOT_YET }
  if ('unknown' in coverage) return { verdict: 'unknown', reason: coverage.unknown }
  if (coverage.uncovered.length > 0) return { verdict: 'replace', reason: nobody(coverage.uncovered) }
  return needsSpare(input)
    ? {
        verdict: 'in-place-with-spare',
        reason:
          'Updated in place, unless it is the one that Cluster API replaces: this strategy takes one spare machine.',
      }
    : { verdict: 'in-place', reason: 'Updated in place by the configured updater.' }
}

/** Both ways in which a change can be approved, in numbers and words. */
export function outlookOf(input: OutlookInput): Outlook {
  const old = input.pairs.reduce((sum, pair) => sum + pair.machines, 0)
  const upToDate = Math.max(0, input.machines - old)
  const uncovered = [
    ...new Set([...input.coverage.values()].flatMap((c) => ('uncovered' in c ? c.uncovered : []))),
  ].sort()
  const missing = input.pairs.find((pair) => pair.missing)?.missing
  if (missing) return { ...blockedBy(missing, input, old, upToDate), uncovered }
  const why = whyNot(input, uncovered)
  const open = old > 0 && why !== undefined && unsaid(input) === why
  return {
    ...(open ? { unknown: unknownOf(why, input, old, upToDate) } : {}),
    inPlace: why ? null : inPlace(input, old, upToDate),
    ...(why ? { whyNotInPlace: why } : {}),
    replace: {
      counts: counted({ replace: old, 'up-to-date': upToDate }),
      ...moved(input, old),
      headline: `${[`${plural(old, 'machine')} of ${input.group.name} would be replaced: ${replacePace(input)}`, ...underWay(input), ...scaled(input)].join('; ')}.`,
    },
    uncovered,
  }
}

function blockedBy(
  template: string,
  { group: { name } }: OutlookInput,
  old: number,
  upToDate: number,
): Omit<Outlook, 'uncovered'> {
  const why = `The template ${template} does not exist.`
  return {
    ...{ inPlace: null, whyNotInPlace: why, blocked: why },
    replace: {
      counts: counted({ blocked: old, 'up-to-date': upToDate }),
      ...{ created: 0, deleted: 0 },
      headline: `No machine of ${name} can move: the template ${template} does not exist.`,
    },
  }
}

function whyNot(input: OutlookInput, uncovered: string[]): string | undefined {
  const { pairs, impossible } = input
  if (impossible) return impossible
  if (onlyOne(input)) return ONLY_ONE
  const open = pairs.filter((pair) => !pair.certainReplace)
  if (open.length === 0) return pairs[0]?.certainReplace ?? 'There is nothing to update.'
  const unknown = unsaid(input)
  if (unknown) return unknown
  return uncovered.length > 0 ? nobody(uncovered) : undefined
}

const nobody = (uncovered: readonly string[]): string =>
  `No updater covers ${uncovered.slice(0, 3).join(', ')}${uncovered.length > 3 ? ` and ${uncovered.length - 3} more` : ''}.`

/** Why it is not known what the updaters cover; undefined: it is. */
function unsaid({ pairs, coverage }: OutlookInput): string | undefined {
  const open = pairs.filter((pair) => !pair.certainReplace).map((pair) => coverage.get(pair.from))
  const failed = open.find((c) => c !== undefined && 'unknown' in c)
  if (failed && 'unknown' in failed) return failed.unknown
  return open.includes(undefined) ? NOT_YET : undefined
}

function unknownOf(why: string, { group, pairs }: OutlookInput, old: number, upToDate: number): Outcome {
  const certain = pairs.reduce((sum, pair) => sum + (pair.certainReplace ? pair.machines : 0), 0)
  const which = `${plural(old - certain, 'machine')} of ${group.name}`
  return {
    counts: counted({ unknown: old - certain, replace: certain, 'up-to-date': upToDate }),
    ...{ created: certain, deleted: certain },
    headline: `Whether ${which} can be updated in place is not known: ${why}`,
  }
}

function inPlace(input: OutlookInput, old: number, upToDate: number): Outcome {
  const certain = input.pairs.reduce((sum, pair) => sum + (pair.certainReplace ? pair.machines : 0), 0)
  const able = old - certain
  const spare = needsSpare(input) && able > 0 && certain === 0 ? 1 : 0
  const stay = able - spare
  const replaced = certain + spare
  const words = [
    `${plural(stay, 'machine')} of ${input.group.name} would be updated in place, ${pace(input, stay)}`,
    ...(spare ? ['one spare is created first and one old machine is deleted'] : []),
    ...underWay(input),
    ...(certain ? [`${plural(certain, 'machine')} would be replaced (${firstReason(input.pairs)})`] : []),
    ...scaled(input),
  ]
  return {
    counts: counted({
      [needsSpare(input) ? 'in-place-with-spare' : 'in-place']: stay,
      replace: replaced,
      'up-to-date': upToDate,
    }),
    ...moved(input, replaced),
    headline: `${words.join('; ')}.`,
  }
}

/** A held group does not scale either: with the release, it becomes as large as it is wanted to be. */
function moved(
  { group, machines }: OutlookInput,
  replaced: number,
): Pick<Outcome, 'created' | 'deleted' | 'added' | 'removed'> {
  const more = group.replicas - machines
  const besides = more > 0 ? { added: more } : more < 0 ? { removed: -more } : {}
  return { created: replaced + Math.max(0, more), deleted: replaced + Math.max(0, -more), ...besides }
}

function scaled({ group, machines }: OutlookInput): string[] {
  const more = group.replicas - machines
  if (more === 0) return []
  const wanted = `${group.replicas} wanted, ${machines} there`
  return [`${plural(Math.abs(more), 'machine')} would be ${more > 0 ? 'created' : 'deleted'} besides (${wanted})`]
}

const firstReason = (pairs: readonly RevisionPair[]): string =>
  (pairs.find((pair) => pair.certainReplace)?.certainReplace ?? '').replace(/\.$/, '')

/** What is under way or not well already counts, and nobody promises for it. */
function underWay({ updating = 0, unavailable = 0 }: OutlookInput): string[] {
  const [is, goes] = updating === 1 ? ['is', 'goes'] : ['are', 'go']
  const down = unavailable - updating
  return [
    ...(updating
      ? [`${plural(updating, 'machine')} that ${is} being updated now ${goes} on to the end of that first`]
      : []),
    ...(down > 0 ? [`${plural(down, 'machine')} ${down === 1 ? 'is' : 'are'} not available now`] : []),
  ]
}

/** The controllers keep to it; but while fewer are available already, it says nothing about the next minutes. */
const floor = ({ unavailable = 0 }: OutlookInput, available: number): string =>
  unavailable > 0 ? '' : `, never fewer than ${Math.max(0, available)} available`

function pace(input: OutlookInput, machines: number): string {
  const { group, strategy } = input
  if (group.kind === 'KubeadmControlPlane' || machines <= 1) return 'one at a time'
  const { unavailable } = fenceposts(strategy, group.replicas)
  const atOnce = Math.max(1, unavailable)
  return `${atOnce === 1 ? 'one at a time' : `at most ${atOnce} at a time`}${floor(input, group.replicas - atOnce)}`
}

function replacePace(input: OutlookInput): string {
  const { group, strategy } = input
  if (strategy.type === 'OnDelete') return 'each when somebody deletes it (strategy OnDelete)'
  if (group.kind === 'KubeadmControlPlane')
    return needsSpare({ group, strategy }) ? 'one at a time, the new one first' : 'one at a time, the old one first'
  const { surge, unavailable } = fenceposts(strategy, group.replicas)
  return `at most ${surge + unavailable} at a time${floor(input, group.replicas - unavailable)}`
}

function counted(counts: VerdictCounts): VerdictCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))
}
