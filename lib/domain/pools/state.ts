import { conditionOf, type Condition } from '../skew/types'
import { awaitedNames, awaitedWords } from './awaited'
import { ended, firstLine } from './first-line'
import { atOnce, countsApply, isSettled, isUntold, type Releases } from './progress'
import { passes, RENDER, renderingWords } from './rendering'
import type { Pool, PoolState } from './types'

export interface PoolJudgement {
  state: PoolState
  /** One or two short sentences for people. */
  sentence: string
  /** For sorting, the worst highest. */
  severity: number
}

export const SEVERITY: Record<PoolState, number> = {
  degraded: 90,
  behind: 60,
  unknown: 50,
  updating: 30,
  waiting: 25,
  paused: 20,
  updated: 0,
}

/** Kinds of degradation, the most telling first; Degraded itself only repeats them. */
const DEGRADED: [type: string, words: string][] = [
  [RENDER, ''],
  ['NodeDegraded', ''],
  ['ImageBuildDegraded', 'Its OS image cannot be built'],
  ['PinnedImageSetsDegraded', 'Its pinned images cannot be fetched'],
  ['PoolSynchronizerDegraded', 'It cannot be synchronised'],
  ['Degraded', 'It is degraded'],
]

/** Of its nodes that have begun and are not through: with the newest configuration, and with one before it. Null: no node can be read. */
export type Begun = { newest: number; before: number } | null

/**
 * Of its nodes: those out of work to which nothing is done, whether all have what is wanted, and how many have begun or failed.
 * `image`: what they lack is no configuration, but the OS image that is built for them, or that of the release again.
 */
export interface OutOfWork {
  image?: boolean
  names: readonly string[]
  through: boolean
  underWay: number
}

const nodes = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`

/**
 * What a pool is at, in words. `Updated` and `Updating` are both False for a pool that is paused and behind, so it is told by its
 * counts and its pause, not by them.
 */
export function poolState(
  pool: Pool,
  releases: Releases,
  begun: Begun = NONE,
  out: OutOfWork = ALL_THERE,
): PoolJudgement {
  const judged = (state: PoolState, sentence: string): PoolJudgement => ({ state, sentence, severity: SEVERITY[state] })
  const because = degradation(pool, releases)
  if (because) return judged('degraded', pool.paused ? `${ended(because)} It is paused as well.` : because)
  const { machines } = pool.counts
  if (pool.conditions.length === 0 || pool.desiredConfig === null)
    return judged('unknown', 'The operator has not said anything about this pool yet.')
  if (pool.paused && machines === 0) return judged('paused', 'Paused. No node belongs to it.')
  if (isUntold(releases) && (isSettled(pool) || !pool.paused)) return judged('unknown', untold(pool, releases))
  if (!countsApply(releases)) return notRendered(pool, releases, judged)
  if (pool.paused) return paused(pool, out.image ? 'another OS image waits' : waits(releases), begun, judged)
  if (machines === 0) return judged('updated', 'No node belongs to it.')
  if (isSettled(pool) && isTrue(pool, 'Updated'))
    return judged('updated', `${all(machines)} up to date${released('with', releases)}.`)
  if (out.through && out.names.length > 0 && !pool.pending) return awaited(pool, releases, out.names, judged)
  return judged('updating', updating(pool, releases, out))
}

/** Every node has it; the operator counts it as done when each is Ready, and none is cordoned. */
function awaited(pool: Pool, releases: Releases, names: readonly string[], judged: Judge): PoolJudgement {
  const { machines } = pool.counts
  // It was done before: what is left is only what the operator calls it.
  if (isSettled(pool))
    return judged(
      'updated',
      `${all(machines)} up to date${released('with', releases)}. Its operator says Updating until ${awaitedWords(names)}.`,
    )
  const have = machines === 1 ? 'Its node has' : `All ${machines} nodes have`
  return judged(
    'updating',
    `${have} the new configuration${released('of', releases)}, and it is done when ${awaitedWords(names)}.`,
  )
}

type Judge = (state: PoolState, sentence: string) => PoolJudgement

const isTrue = (pool: Pool, type: string): boolean => conditionOf(pool.conditions, type)?.status === 'True'
const released = (word: string, { desired }: Releases): string => (desired ? ` ${word} ${desired}` : '')

function degradation(pool: Pool, { clusterUpdating }: Releases): string | null {
  const kinds = DEGRADED.filter(([type]) => isTrue(pool, type))
  const said = (type: string) => conditionOf(pool.conditions, type)?.message
  // What passes by itself is said where nothing worse is.
  const rest = passes(said(RENDER), clusterUpdating)
    ? kinds.filter(([type]) => type !== RENDER && type !== 'Degraded')
    : []
  const [kind] = rest.length > 0 ? rest : kinds
  if (!kind) return null
  const [type, words] = kind
  if (type === 'NodeDegraded') return degradedNodes(pool)
  const message = said(type)
  if (type === RENDER) return renderingWords(pool, message, clusterUpdating)
  return message ? `${words}: ${firstLine(message)}` : `${words}.`
}

/** Since when it is degraded; null: its conditions do not say so. */
export function degradedSince(conditions: readonly Condition[]): Date | null {
  const kinds = DEGRADED.map(([type]) => type)
  const since = conditions
    .filter(({ type, status }) => kinds.includes(type) && status === 'True')
    .map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? ''))
    .filter((at) => !Number.isNaN(at))
  return since.length > 0 ? new Date(Math.min(...since)) : null
}

/** By nothing but its nodes. */
export const isDegradedByNodes = (conditions: readonly Condition[]): boolean =>
  !DEGRADED.some(
    ([type]) => !['NodeDegraded', 'Degraded'].includes(type) && conditionOf(conditions, type)?.status === 'True',
  )

/** "Node infra-1 is reporting: \"failed to drain …\"": the node's name and its words, without the frame. */
function degradedNodes(pool: Pool): string {
  const message = conditionOf(pool.conditions, 'NodeDegraded')?.message ?? ''
  const [, node, words] = /^Node (\S+) is reporting: "((?:[^"\\]|\\.)*)"/.exec(message) ?? []
  const { degraded, machines } = pool.counts
  const count = `${degraded || 1} of ${nodes(machines)} cannot take up the configuration`
  if (!node) return `${count}.`
  const said = firstLine(words!.replaceAll('\\"', '"'))
  return said ? `${count}. ${node}: ${said}` : `${count}: ${node}.`
}

function notRendered(pool: Pool, { wanted, desired }: Releases, judged: Judge): PoolJudgement {
  const way = `The cluster is on its way to ${wanted}`
  const still = `${way}; this pool’s configuration is still that of ${desired}.`
  if (pool.paused) return judged('behind', `${still} It is paused.`)
  if (isSettled(pool)) return judged('waiting', `${still} None of its nodes has begun.`)
  return judged(
    'updating',
    `${way}; this pool is still taking up what came before. ${upper(through(pool, ` of ${desired}`))}.`,
  )
}

function untold(pool: Pool, { wanted }: Releases): string {
  const way = `The cluster is on its way to ${wanted ?? 'another release'}; of which release this pool’s configuration is cannot be told.`
  return pool.paused ? `${way} It is paused.` : way
}

function paused(pool: Pool, waiting: string, begun: Begun, judged: Judge): PoolJudgement {
  const { machines, updated } = pool.counts
  const left = machines - updated
  if (isSettled(pool)) return judged('paused', `Paused. ${all(machines)} up to date; whatever comes next waits.`)
  if (pool.pending && pool.currentConfig !== pool.desiredConfig)
    return judged('behind', `Paused, and ${waiting}; the operator has not counted its nodes yet.`)
  if (left <= 0 && pool.pending) return judged('paused', 'Paused. The operator has not counted its nodes since then.')
  if (begun === null)
    return judged('behind', `Paused and behind: nodes that have not begun stay as they are while ${waiting}.`)
  const its = machines === 1 ? 'its node' : `its ${machines} nodes`
  const through = throughWords(begun)
  const stay = Math.max(0, left - begun.newest - begun.before)
  if (through && stay === 0) return judged('behind', `Paused. No node is left that has not begun: ${through}.`)
  const whom = stay > 0 && stay < machines ? `${stay} of ${through ? its : nodes(machines)}` : its
  const [verb, as] = (stay > 0 ? stay : machines) === 1 ? ['stays', 'it is'] : ['stay', 'they are']
  const rest = through && `; ${through}`
  return judged('behind', `Paused and behind: ${whom} ${verb} as ${as} while ${waiting}${rest}.`)
}

/** A pause stops no node that has begun. */
const throughWords = ({ newest, before }: NonNullable<Begun>): string =>
  [
    newest > 0 && `${newest} that had begun ${newest === 1 ? 'goes' : 'go'} through to the end`,
    before > 0 && `${before} that had begun before ${before === 1 ? 'finishes' : 'finish'} what came before`,
  ]
    .filter(Boolean)
    .join(', and ')
const NONE = { newest: 0, before: 0 }
const ALL_THERE: OutOfWork = { names: [], through: false, underWay: 0 }

const waits = (releases: Releases): string => `a configuration${released('of', releases)} waits`

const all = (machines: number): string =>
  machines === 1 ? 'Its node is' : machines === 2 ? 'Both nodes are' : `All ${machines} nodes are`

function updating(pool: Pool, releases: Releases, { names, underWay, image }: OutOfWork): string {
  const { machines, unavailable } = pool.counts
  const limit = atOnce(pool, machines)
  const out = unavailable ? `, ${unavailable} ${unavailable === 1 ? 'is' : 'are'} out of work` : ''
  const most = limit === null ? '' : ` At most ${limit} at once.`
  const build = conditionOf(pool.conditions, 'Updating')?.message ?? ''
  const because = /^Pool is waiting for|^Pool update (?:stopped|paused)/.test(build) ? ` ${firstLine(build)}.` : ''
  const counted = upper(through(pool, released('of', releases), image ? 'other OS image' : undefined))
  // Whoever is out of work counts, whatever the reason.
  if (!because && !pool.pending && underWay === 0 && limit !== null && names.length >= limit)
    return `${counted}. None begins: ${awaitedNames(names)} ${names.length === 1 ? 'is' : 'are'} out of work, and at most ${limit} may be at once.`
  return `${counted}${out}.${because || most}`
}

/** Before the operator looked at the newest spec, what it counted is about the one before. */
function through(
  { pending, counts: { machines, updated } }: Pool,
  release: string,
  what = `new configuration${release}`,
): string {
  if (pending) return `how many of ${nodes(machines)} have the ${what} is not counted yet`
  return `${updated} of ${nodes(machines)} ${updated === 1 ? 'has' : 'have'} the ${what}`
}

const upper = (words: string): string => `${words[0]!.toUpperCase()}${words.slice(1)}`
