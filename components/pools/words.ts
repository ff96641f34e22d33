import type { ChipTone } from '@/components/ui'
import { awaitedWords } from '@/lib/domain/pools/awaited'
import { besideAsWanted } from '@/lib/domain/pools/node-words'
import type { Phase, PoolState } from '@/lib/domain/pools/types'
import { waitsFor } from '@/components/updates/standing-words'
import { closedWords, notNowWords, thenWords } from '@/components/updates/timing-words'
import { UNAPPROVED_AND, UNAPPROVED_WHY } from '@/lib/domain/latch/unapproved'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { NodeDto } from '@/lib/services/pools/node-dto'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import type { PoolRowDto } from '@/lib/services/pools/list-pools'
import type { PoolChange } from '@/lib/services/pools/open-change'

/** Amber only where a person is needed: a paused pool goes on when somebody resumes it. */
export const STATES: Record<PoolState, { tone: ChipTone; words: string }> = {
  degraded: { tone: 'bad', words: 'degraded' },
  behind: { tone: 'needs', words: 'paused, behind' },
  unknown: { tone: 'plain', words: 'not known' },
  updating: { tone: 'in-place', words: 'updating' },
  waiting: { tone: 'plain', words: 'not begun' },
  paused: { tone: 'plain', words: 'paused' },
  updated: { tone: 'good', words: 'up to date' },
}

/** The same of several at once, some of which may be held. */
export const TABS: Partial<Record<PoolState, string>> = { behind: 'paused or held, behind', paused: 'paused or held' }

type Shown = Pick<PoolRowDto, 'state' | 'held' | 'change'>

/**
 * The hold came with the change that it keeps, before Drydock's eyes, or the pause with a decision made here: when is known. Of anything
 * else the newest write tells it at the latest.
 */
export const sinceWords = ({
  held,
  change,
  pausedSince,
  sinceKnown,
}: Pick<PoolRowDto, 'held' | 'change' | 'pausedSince' | 'sinceKnown'>): string =>
  sinceKnown ||
  (held &&
    change?.firstSeen === false &&
    pausedSince !== null &&
    Date.parse(pausedSince) > Date.parse(change.detectedAt) - WRITTEN_MS)
    ? ''
    : ' or earlier'
/** A configuration is seen so long after it was written, at the most. */
const WRITTEN_MS = 60_000

/** As its chip says it. Of what Drydock holds, what it waits for: an approval, or its time; a person's pause, for whoever resumes it. */
export function stateOf({ state, held, change }: Shown): { tone: ChipTone; words: string } {
  if (change?.unapproved && state === 'updating')
    return { tone: 'needs', words: `updating, and ${UNAPPROVED_AND[change.unapproved]}` }
  if (!held || (state !== 'behind' && state !== 'paused')) return STATES[state]
  if (state === 'paused' || !change)
    return { tone: STATES[state].tone, words: state === 'paused' ? 'held' : 'held, behind' }
  if (change.state === 'rejected') return { tone: 'plain', words: 'held, rejected' }
  if (change.refused) return { tone: 'bad', words: 'held, the cluster refused the decision' }
  if (change.nobody && change.asks) return { tone: 'plain', words: 'held, no node waits' }
  if (change.state !== 'waiting') return { tone: 'plain', words: 'held, approved, about to start' }
  const { words, tone } = waitsFor(change.standing, change.heldBy, change.begun)
  return {
    tone,
    words: isAsked(change) ? 'held, waits for approval' : `held, ${words[0]!.toLowerCase()}${words.slice(1)}`,
  }
}

/** Nothing but approvals is missing, and there are not enough. */
const isAsked = ({ asks, standing }: PoolChange): boolean =>
  asks && (!standing || (standing.forbidden === null && standing.given < standing.needed))

const PHASES: Record<Phase, { tone: ChipTone; words: string }> = {
  degraded: { tone: 'bad', words: 'degraded' },
  draining: { tone: 'in-place', words: 'draining' },
  updating: { tone: 'in-place', words: 'updating' },
  rebooting: { tone: 'in-place', words: 'rebooting' },
  pending: { tone: 'plain', words: 'waits its turn' },
  paused: { tone: 'plain', words: 'paused' },
  updated: { tone: 'good', words: 'up to date' },
}

/** As its chip says it: what is as its pool wants it may be so with what came before. */
export function phaseWords({ phase, standing }: Pick<NodeDto, 'phase' | 'standing'>): {
  tone: ChipTone
  words: string
} {
  if (phase !== 'updated' || standing === 'now') return PHASES[phase]
  return { tone: 'plain', words: standing === 'before' ? 'with what came before' : 'release not known' }
}

/** Its nodes as the operator counts them, which may be for what came before. */
export function countWords({ counts, standing, ...pool }: Counted): string {
  const { machines, updated, ready, unavailable, degraded } = counts
  const rest = `${unavailable} out of work, ${degraded} degraded`
  const before = `${ready} ready with what came before`
  const wanted = pool.wantedRelease ?? 'the release that is wanted'
  if (standing === 'untold') return `${machines}: how many have ${wanted} cannot be told, ${ready} ready, ${rest}`
  if (standing === 'before') return `${machines}: none for ${wanted} yet, ${before}, ${rest}`
  if (pool.pending && pool.currentConfig !== pool.desiredConfig)
    return `${machines}: none counted for the newest configuration yet, ${before}, ${rest}`
  return `${machines}: ${updated} up to date, ${ready} of these ready, ${rest}`
}
type Counted = Pick<PoolDetail, 'counts' | 'standing' | 'wantedRelease' | 'pending' | 'currentConfig' | 'desiredConfig'>

/** Which OS image its nodes are to have; null: nothing but their configuration says so. */
export function imageWanted({ image, hold }: Pick<PoolDetail, 'image' | 'hold'>): string | null {
  if (image) return image.name ?? 'one is built in its cluster for each configuration, and is not there yet'
  return hold.change?.image ? 'that of the release again' : null
}

/** What comes before the change of a pool that is not over, and what after it. */
export function changeWords({
  paused,
  hold,
  counts,
  phases,
}: Pick<PoolDetail, 'paused' | 'hold' | 'counts' | 'phases'>): {
  before: string
  after: string[]
} {
  const { change, governed, held, kept } = hold
  const only = (before: string) => ({ before, after: [] })
  const [what, its] = change?.image ? ['An OS image', 'its OS image'] : ['A configuration', 'its configuration']
  if (change?.state === 'rejected')
    return only(change.image ? 'The OS image was rejected' : 'Its configuration was rejected')
  if (change?.state === 'waiting') {
    if (!governed && !held && !kept)
      return only(`${what} waits until the pool is resumed; nothing is governed here, and nobody is asked`)
    if (change.nobody && change.asks) return only(`${what} is held for whichever node comes, and no node waits`)
    const { standing } = change
    if (!standing || change.asks || change.refused) return only(`${what} waits for a decision`)
    if (change.begun === 'all') return only(`Every node has begun ${its}, and goes on to its end`)
    return {
      before: `${what} ${standing.due ? 'is approved' : 'needs no approval'}, and ${change.goesByItself ? 'waits for its time' : 'does not go yet'}`,
      after: timesWords(standing, kept ? 'Drydock’s own hold' : 'It'),
    }
  }
  if (change?.unapproved)
    return only(`${what} is under way, and ${UNAPPROVED_AND[change.unapproved]}: ${UNAPPROVED_WHY[change.unapproved]}`)
  if (change?.awaited) return only(`Every node has ${its}, and it is done when ${awaitedWords(change.awaited.names)}`)
  if (!paused) return only(`${what} is under way`)
  const begun = counts.updated > 0 || BEGUN.some((phase) => (phases[phase] ?? 0) > 0)
  return only(`Nothing ${begun ? 'more ' : ''}of ${its} begins before the pool is resumed`)
}

/** Of a node that has begun, and is not through. */
const BEGUN: readonly Phase[] = ['draining', 'updating', 'rebooting', 'degraded']

/** What keeps it now, and what becomes of it; below a person's pause, of Drydock's hold alone. */
const timesWords = ({ timing, early }: ListedStanding, what: string): string[] =>
  timing.open ? [`${what} goes in a moment.`] : [closedWords(timing), thenWords(timing, early, what, true)]

/** What Drydock's own hold means for whoever thinks of pausing it themselves. */
export function heldHere({ change, unguarded }: Pick<PoolDetail['hold'], 'change' | 'unguarded'>): string {
  const holds = unguarded
    ? 'It is paused, and nothing guards that: no latch is installed in its cluster, and anybody who may edit the pool can let it go. Drydock leaves it paused'
    : 'Drydock holds it'
  return `${holds}${resumedWhen(change)} Pause it yourself, and it stays paused after that, until somebody resumes it.`
}

/** What somebody's own pause keeps besides. */
export function keptWords({ change, unguarded }: Pick<PoolDetail['hold'], 'change' | 'unguarded'>): string {
  if (unguarded)
    return 'Nothing else holds its configuration: no latch is installed in its cluster, and whoever resumes the pool lets it go.'
  const waits = change?.asks ? 'waits for approval all the same' : 'is held all the same'
  return `Its configuration ${waits}, and letting it go leaves this pause. The pool can be resumed here after that, and not before.`
}

/** When it was paused, as its head says it: a person's pause over Drydock's hold began with their decision, and that hold, while it is there, before it. */
export function pauseTimes(pool: Paused): { what: string; at: string; or: string }[] {
  const { pausedSince, pausedFirst, hold } = pool
  if (pausedSince === null) return []
  const since = { ...pool, ...hold }
  const isBefore = pausedFirst && Date.parse(pausedSince) < Date.parse(pausedFirst.recordedAt) - WRITTEN_MS
  // Of what the newest write tells at the latest only, the decision tells when.
  if (!hold.held && pausedFirst && (isBefore || !pool.sinceKnown))
    return [
      ...(hold.kept && isBefore ? [{ what: 'held', at: pausedSince, or: sinceWords({ ...since, held: true }) }] : []),
      { what: `paused by ${pausedFirst.actorName}`, at: pausedFirst.recordedAt, or: '' },
    ]
  return [{ what: hold.held ? 'held' : 'paused', at: pausedSince, or: sinceWords(since) }]
}
type Paused = Pick<PoolDetail, 'pausedSince' | 'sinceKnown' | 'hold'> & {
  pausedFirst: Pick<NonNullable<PoolDetail['pausedFirst']>, 'recordedAt' | 'actorName'> | null
}

const NAMED = 5
/** Nodes that took up what waits although it was not let go; empty: none did. */
export function begunWords({ begunUnapproved: nodes }: Pick<PoolDetail['hold'], 'begunUnapproved'>): string {
  if (nodes.length === 0) return ''
  return `It was not let go when ${begun(nodes.length)} to take it up: ${someOf(nodes)}. What has begun goes through to the end.`
}

/** The same around the name of a change that is over. */
export const begunBeforeWords = ({ nodes, isDone }: BegunBefore): [before: string, after: string] => [
  `${begun(nodes.length).replace(/^a/, 'A')} to take up `,
  `, ${isDone ? '' : 'which a newer configuration took the place of, '}and it was not let go: ${someOf(nodes)}.`,
]
type BegunBefore = Pick<PoolDetail['hold']['begunBefore'][number], 'nodes' | 'isDone'>

const begun = (n: number): string => `${n === 1 ? 'a node' : `${n} nodes`} began`
const someOf = (nodes: readonly string[]): string =>
  `${nodes.slice(0, NAMED).join(', ')}${nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : ''}`

/** What resumes it: of what an approval alone does not let go, all that it waits for besides, as the change itself says it. */
function resumedWhen(change: PoolChange | null): string {
  if (change && !change.asks && change.state !== 'rejected') return ', and resumes it when its configuration goes.'
  // What holds it besides is not known.
  if (!change?.standing) return ' until its configuration is approved, and may go.'
  const { forbidden, needed, given, timing, early } = change.standing
  if (forbidden) return `, and no approval resumes it: ${forbidden}`
  const besides = notNowWords(timing, early)
  if (besides) return `, and an approval alone does not resume it. ${besides.join(' ')}`
  const missing = needed - given
  return missing > 1
    ? `: ${missing} approvals of its configuration resume it.`
    : ': approving its configuration resumes it.'
}

/** The address of this page with some of its query replaced. */
export function withQuery(
  path: string,
  query: URLSearchParams | string,
  changes: Record<string, string | null>,
): string {
  const next = new URLSearchParams(query)
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  return next.size > 0 ? `${path}?${next}` : path
}

/** What a chip says already, as a sentence: not said twice. */
const REPEATED = ['', 'Rebooting.', 'Waits for its turn.']
export const isRepeated = (sentence: string): boolean => REPEATED.includes(besideAsWanted(sentence))

/** Some clouds number their zones. */
export const zoneWords = (zone: string): string => (/^\d+$/.test(zone) ? `zone ${zone}` : zone)
