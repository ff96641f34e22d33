import type { RolloutStrategy } from '../rollout'
import type { Verdict, VerdictCounts } from '../verdict'
import { forSpares, inPlaceWords, nothingWords, plural, replaceWords, updatersOf } from './outlook-words'
import { movesNow } from './reference'
import { sparesFor, type Spared } from './spares'
import { tallyOf, type Tally } from './tally'
import type { Outcome, Outlook, RevisionPair } from './types'

/** What updaters said about one pair: the paths that nobody covers, or why they could not be asked. */
export type Coverage = { uncovered: string[] } | { unknown: string }

export interface OutlookInput {
  group: { kind: string; name: string; replicas: number }
  strategy: RolloutStrategy
  /** All machines of the group that stay. */
  machines: number
  /** Beside those: how many go already. */
  deleting?: number
  pairs: readonly RevisionPair[]
  /** By the name of the pair's old revision. */
  coverage: ReadonlyMap<string, Coverage>
  /** Machines that are not available now, those that are being updated in place among them. */
  unavailable?: number
  /** Which of them are not being updated, by revision; absent: none, or it is no MachineDeployment. */
  away?: Spared['away']
  /** Machines that are being updated in place now: they go on to their end, whatever is approved. */
  updating?: number
  /** Chosen when the group was held, and not begun: none of `updating`, and not available. */
  outOfService?: number
  /** So many machines more its approval in place let be deleted, after spares for them: it began by that, and was held again. */
  spares?: number
  /** So many of those that are there were made for this very change and nothing went for them yet: held in the middle, it has its spares. */
  made?: number
  /** Names of the updaters in their order. */
  updaters?: readonly string[]
  /** Of a control plane: names of the old machines as they have their turn; absent: by age. */
  turns?: readonly string[]
  /** Of a control plane: names of machines of the wanted revision that are marked. In a rollout they go before all others. */
  marked?: readonly string[]
  /** Absent: in-place updates can be asked for; else why not, in one sentence. */
  impossible?: string
}

export const NOT_YET = 'No updater has been asked yet.'
const ONLY_ONE =
  'The strategy brings a spare machine first and then deletes an old one: of a single machine, none is left to be updated in place.'

const NONE_STAYS =
  'The strategy brings a spare machine first and then deletes the one that could be updated: none is left to be updated in place.'

const oldOf = ({ pairs }: OutlookInput): number => pairs.reduce((sum, pair) => sum + pair.machines, 0)
/** Marked ones go with the old ones, where there are any. */
const markedOf = (input: OutlookInput): readonly string[] => (oldOf(input) > 0 ? (input.marked ?? []) : [])
const upToDateOf = (input: OutlookInput): number => Math.max(0, input.machines - oldOf(input) - markedOf(input).length)

/** Why no machine is left that could be updated in place, however much the updaters cover. */
function noneLeft(input: OutlookInput): string | undefined {
  const { replicas } = input.group
  if (oldOf(input) === 0) return undefined
  const upToDate = upToDateOf(input)
  if (replicas === 0) return 'No machine is wanted any more: all of them are deleted.'
  if (replicas <= upToDate) return `As many as are wanted (${replicas}) are up to date already: the others are deleted.`
  // What would be updated in place is what is deleted.
  if (sparesOf(input) > 0 && input.machines <= 1) return ONLY_ONE
  const asked = input.pairs.some((pair) => !pair.certainReplace)
  return asked && tally(input, true).stay === 0 ? NONE_STAYS : undefined
}

/**
 * Spares are there, and only what had to go for them is left: that was approved with it. Cluster API asks nobody about it, whichever
 * way it is let go.
 */
const isSpared = (input: OutlookInput): boolean =>
  input.group.replicas > 0 &&
  oldOf(input) > 0 &&
  input.group.replicas <= upToDateOf(input) &&
  input.machines - input.group.replicas <= (input.spares ?? 0)

/** The counts of a rollout, in place as far as nothing stands against it, or replacing. */
function tally(input: OutlookInput, inPlace: boolean): Tally {
  const age = ({ createdAt }: RevisionPair) => (createdAt ? Date.parse(createdAt) : 0)
  const { turns } = input
  // What has no turn as far as it was played is last.
  const turn = (name: string) => (turns?.includes(name) ? turns.indexOf(name) : (turns?.length ?? 0))
  const olds = [...input.pairs]
    .sort((a, b) => turn(a.from) - turn(b.from) || age(a) - age(b) || (a.from < b.from ? -1 : 1))
    .map(({ from, machines, certainReplace }) => ({ from, machines, able: inPlace && !certainReplace }))
  const marked = markedOf(input).map((from) => ({ from, machines: 1, able: false }))
  const all = [...marked, ...olds].sort((a, b) => (turns ? turn(a.from) - turn(b.from) : 0))
  const { group, strategy } = input
  return tallyOf({
    ...{ group, strategy, upToDate: upToDateOf(input), olds: all },
    ...(inPlace ? { spares: sparesOf(input) } : {}),
  })
}

const NOT_AWAY: Spared['away'] = { current: 0, olds: new Map() }
const sparesOf = (input: OutlookInput): number =>
  sparesFor({ updating: 0, away: NOT_AWAY, ...input, upToDate: upToDateOf(input) })

/** A date that lies ahead moves nothing now: beside what does, the machines that have only that count as they are. */
function now(input: OutlookInput): OutlookInput {
  const pairs = input.pairs.filter(movesNow)
  return pairs.length > 0 && pairs.length < input.pairs.length ? { ...input, pairs } : input
}

/** What would become of the machines of one pair if it were approved in place. */
export function verdictOf(pair: RevisionPair, of: OutlookInput): { verdict: Verdict; reason: string } {
  const input = now(of)
  if (pair.missing)
    return { verdict: 'blocked', reason: `The template ${pair.missing} does not exist: nothing moves before it does.` }
  if (pair.unread) return { verdict: 'unknown', reason: pair.unread }
  if (pair.certainReplace) return { verdict: 'replace', reason: pair.certainReplace }
  if (input.impossible) return { verdict: 'replace', reason: input.impossible }
  const none = noneLeft(input)
  if (none) return { verdict: 'replace', reason: none }
  const coverage = input.coverage.get(pair.from)
  if (!coverage) return { verdict: 'unknown', reason: NOT_YET }
  if ('unknown' in coverage) return { verdict: 'unknown', reason: coverage.unknown }
  if (coverage.uncovered.length > 0) return { verdict: 'replace', reason: nobody(coverage.uncovered) }
  const { spare, removed } = tally(input, true)
  if (spare > 0)
    return {
      verdict: 'in-place-with-spare',
      reason:
        'Updated in place, unless it is the one that Cluster API replaces: this strategy takes one spare machine.',
    }
  const spared = forSpares(input)
  return {
    verdict: spared > 0 ? 'in-place-with-spare' : 'in-place',
    reason: `Updated in place by ${updatersOf(pair, input.updaters)}${unlessGoes(removed, spared)}.`,
  }
}

function unlessGoes(removed: number, spared: number): string {
  if (removed === 0) return ''
  if (removed > spared) return ', unless it is among those that go because more are there than are wanted'
  return removed === 1
    ? ', unless it is the one that is deleted for the spare that is there already'
    : ', unless it is among those that are deleted for the spares that are there already'
}

/** Both ways in which a change can be approved, in numbers and words. */
export function outlookOf(of: OutlookInput): Outlook {
  const input = now(of)
  const uncovered = [
    ...new Set([...input.coverage.values()].flatMap((c) => ('uncovered' in c ? c.uncovered : []))),
  ].sort()
  const missing = input.pairs.find((pair) => pair.missing)?.missing
  if (missing) return { ...blockedBy(`the template ${missing} does not exist`, input), uncovered }
  const unread = input.pairs.find((pair) => pair.unread)?.unread
  if (unread) return { ...unreadOutlook(unread, input), uncovered }
  const why = whyNot(input, uncovered)
  const replaced = tally(input, false)
  const open = why !== undefined && oldOf(input) > 0 && unsaid(input) === why
  return {
    ...(open ? { unknown: unknownOf(why, input) } : {}),
    inPlace: why ? null : inPlace(input),
    ...(why ? { whyNotInPlace: why } : {}),
    replace: isNothing(input)
      ? nothing(input)
      : { ...outcome(input, replaced), headline: replaceWords(input, replaced) },
    uncovered,
  }
}

/** How many machines would be deleted if it went so: in place also where none is left by then that could be updated so. */
export function deletionsComing(of: OutlookInput, inPlace: boolean): number {
  const input = now(of)
  const { replaced, removed } = tally(input, inPlace && !isNothing(input) && !isSpared(input))
  return replaced + removed
}

/** Nobody knows what it would do, and nobody can approve it before that is known. */
function unreadOutlook(why: string, input: OutlookInput): Omit<Outlook, 'uncovered'> {
  const headline = `What would become of ${plural(oldOf(input), 'machine')} of ${input.group.name} is not known: ${why}`
  const counts = counted({ unknown: oldOf(input), 'up-to-date': upToDateOf(input) })
  const unknown = { counts, ...{ created: 0, deleted: 0 }, headline }
  return { inPlace: null, whyNotInPlace: why, blocked: why, unknown, replace: unknown }
}

function blockedBy(reason: string, input: OutlookInput): Omit<Outlook, 'uncovered'> {
  const why = `${reason[0]!.toUpperCase()}${reason.slice(1)}.`
  return {
    ...{ inPlace: null, whyNotInPlace: why, blocked: why },
    replace: {
      counts: counted({ blocked: oldOf(input), 'up-to-date': upToDateOf(input) }),
      ...{ created: 0, deleted: 0 },
      headline: `No machine of ${input.group.name} can move: ${reason}.`,
    },
  }
}

function whyNot(input: OutlookInput, uncovered: string[]): string | undefined {
  const { pairs, impossible } = input
  if (impossible) return impossible
  if (isNothing(input) || isSpared(input)) return undefined
  const none = noneLeft(input)
  if (none) return none
  const open = pairs.filter((pair) => !pair.certainReplace)
  if (open.length === 0) return pairs[0]?.certainReplace ?? 'There is nothing to update.'
  return unsaid(input) ?? (uncovered.length > 0 ? nobody(uncovered) : undefined)
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

function unknownOf(why: string, input: OutlookInput): Outcome {
  const { stay, replaced, spare, ...scaled } = tally(input, true)
  const unknown = stay + spare
  return {
    ...outcome(input, { stay: 0, replaced: replaced - spare, spare: 0, ...scaled }, unknown),
    headline: `Whether ${plural(unknown, 'machine')} of ${input.group.name} can be updated in place is not known: ${why}`,
  }
}

function inPlace(input: OutlookInput): Outcome {
  // Better than replacing: where Cluster API sees more than Drydock, the gate knows of no approval and answers an error.
  if (isNothing(input) || isSpared(input)) return nothing(input)
  const counts = tally(input, true)
  return { ...outcome(input, counts), headline: inPlaceWords(input, counts) }
}

/** Held for a field that may cause a rollout, and does not: from OnDelete to RollingUpdate with nothing outdated. */
const isNothing = (input: OutlookInput): boolean => input.pairs.every(({ machines }) => machines === 0)

/** At most there will be more, or fewer, of them. */
function nothing(input: OutlookInput): Outcome {
  const scaled = tally(input, false)
  const headline = scaled.added + scaled.removed > 0 ? replaceWords(input, scaled) : nothingWords(input)
  return { ...outcome(input, scaled), headline }
}

function outcome(input: OutlookInput, tally: Tally, unknown = 0): Omit<Outcome, 'headline'> {
  const { stay, replaced, spare, added, removed } = tally
  const spared = forSpares(input)
  return {
    counts: counted({
      [spare || spared ? 'in-place-with-spare' : 'in-place']: stay,
      ...{ replace: replaced, unknown },
      // Old ones go first.
      'up-to-date': Math.min(upToDateOf(input), input.group.replicas),
    }),
    ...{ created: replaced + added, deleted: replaced + removed },
    ...(spare ? { spare } : {}),
    ...(input.strategy.type === 'OnDelete' && replaced > 0 ? { onDelete: true } : {}),
    ...(added ? { added } : {}),
    ...(removed ? { removed } : {}),
    ...(spared ? { forSpares: spared } : {}),
  }
}

function counted(counts: VerdictCounts): VerdictCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))
}
