import { commonName, firstToExpire, leftOf } from './certificates'
import { atOnce, countsApply, isSettled, isUntold, limitOf, type Releases } from './progress'
import { ARBITER, MASTER, type Pool } from './types'

export interface PauseView {
  /** What follows, in the order of its weight. */
  follows: string[]
  /** What may hurt. */
  warnings: string[]
}

/** Why a pool cannot be paused from here; null: it can. */
export function notPausable(pool: Pick<Pool, 'name'>): string | null {
  if (pool.name === MASTER)
    return 'The pool master is never paused from here: its nodes carry etcd and the API server, and while it is paused the cluster cannot finish an update.'
  if (pool.name === ARBITER)
    return 'The pool arbiter is never paused from here: its node carries etcd, and while it is paused the cluster cannot finish an update.'
  return null
}

export interface PauseFacts extends Releases {
  now: number
  /** Nodes that have begun and are not through. */
  underWay: number
  /** Nodes that were told the newest configuration, and are degraded: their daemon tries again, paused or not. */
  retrying?: number
  /** How what comes next is held; null: nobody governs the pool. */
  coming?: ComingHold | null
}

/** `waits`: for its approval; false: it is to, and does not; null: whether it does is not known. `words`: how strongly; `images`: the same of OS images, where they differ; `trouble`: what is wrong with what is to hold it. */
export interface ComingHold {
  waits: boolean | null
  words: string
  images: string | null
  trouble: string | null
}

const date = (iso: string): string => iso.slice(0, 10)
const nodes = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`

/** What pausing a pool means. It stops what its nodes have not begun, and nothing else. */
export function pauseView(pool: Pool, facts: PauseFacts): PauseView {
  const follows = [
    staying(pool, facts),
    'Everything that goes through a MachineConfig waits as well: kernel arguments, files, registries, the OS of a patch release.',
  ]
  if (facts.underWay > 0)
    follows.push(
      `${nodes(facts.underWay)} that ${facts.underWay === 1 ? 'has' : 'have'} begun ${facts.underWay === 1 ? 'goes' : 'go'} through to the end: a pause does not stop ${facts.underWay === 1 ? 'it' : 'them'}.`,
    )
  const { retrying = 0 } = facts
  if (retrying > 0)
    follows.push(
      `${nodes(retrying)} that ${retrying === 1 ? 'has begun and is degraded tries' : 'have begun and are degraded try'} again by ${retrying === 1 ? 'itself' : 'themselves'}: a pause does not stop that.`,
    )
  if (!pool.required)
    follows.push(
      'An update of the cluster can complete meanwhile, and says so, while these nodes keep the release before.',
    )
  return { follows, warnings: pauseWarnings(pool, facts) }
}

function staying(pool: Pool, facts: PauseFacts): string {
  const { machines, updated } = pool.counts
  const begun = begunIn(facts)
  const left = Math.max(0, machines - updated - begun)
  const until = 'until somebody resumes the pool'
  if (pool.pending)
    return `Nodes that have not begun to take up the newest configuration stay as they are, ${until}; the operator has not counted them yet.`
  if (left > 0)
    return `${nodes(left)} without the newest configuration ${left === 1 ? 'stays' : 'stay'} as ${left === 1 ? 'it is' : 'they are'}, ${until}.`
  const none =
    machines === 0
      ? 'No node belongs to the pool'
      : begun > 0 || !isSettled(pool)
        ? 'No node is left that has not begun'
        : countsApply(facts)
          ? 'All nodes are up to date'
          : `All nodes have the configuration of ${facts.desired}`
  const next = countsApply(facts) ? 'whatever configuration comes next' : `that of ${facts.wanted}`
  return `${none}; ${next} waits ${until}.`
}

function pauseWarnings(pool: Pool, facts: PauseFacts): string[] {
  const warnings: string[] = []
  if (pool.required)
    warnings.push(
      'This pool is marked as required for upgrades: an update of the cluster does not complete while it is paused.',
    )
  if (facts.clusterUpdating)
    warnings.push('The cluster is being updated now; these nodes will be left behind in the middle of it.')
  if (facts.clusterUpdating === null)
    warnings.push(
      'Whether the cluster is being updated is not known: if it is, these nodes will be left behind in the middle of it.',
    )
  const certificate = certificateWarning(pool, facts.now)
  if (certificate) warnings.push(certificate)
  return warnings
}

/** What takes the risk away, in front of "well before that day". */
export type WayOut =
  | 'resume the pool'
  | 'approve its configuration, or have what it brings written back,'
  | 'approve its configuration and resume the pool'
  | 'its configuration is approved, and has to go'
  | 'its configuration has to be let go by its policies, and the pool resumed after that,'

/**
 * "Paused too long". Newer machine config daemons write the API server's CA to paused nodes as well (pkg/daemon/certificate_writer.go);
 * older ones do not, and what stands in a MachineConfig waits in any case, so this says "may" and names the day.
 */
export function certificateWarning(
  pool: Pick<Pool, 'certificates'>,
  now: number,
  wayOut: WayOut = 'resume the pool',
): string | null {
  const first = firstToExpire(pool.certificates)
  if (!first) return null
  const { days, soon } = leftOf(first, now)
  const name = commonName(first)
  if (days < 0)
    return `The certificate ${name} expired on ${date(first.expiry)}. Nodes that were paused over its rotation may not trust the API server any more: logs, exec and debug fail, then the node.`
  const when = soon ? `, in ${days} ${days === 1 ? 'day' : 'days'}` : ''
  return `The first certificate that its nodes trust, ${name}, expires on ${date(first.expiry)}${when}, and is rotated before. What is rotated may not reach paused nodes: ${wayOut} well before that day.`
}

/** What resuming a pool sets off: what waits begins, and what is not rendered yet begins as soon as it is. */
export function resumeView(pool: Pool, facts: PauseFacts): PauseView {
  const then = afterwards(pool, facts)
  const next = [then ?? `Whatever comes next ${taken(pool, facts)}`, ...besides(facts)]
  const isEmpty = !pool.pending && pool.counts.machines === 0
  if (isSettled(pool) || isEmpty) {
    const now = isEmpty
      ? 'Nothing begins: no node belongs to the pool.'
      : 'Nothing begins at once: all nodes have the configuration that the pool wants.'
    return { follows: [now, ...next], warnings: [] }
  }
  const { degraded } = pool.counts
  const goOn = goingOn(facts)
  if (noneLeft(pool, facts)) return { follows: [`No node begins: ${goOn}`, ...next], warnings: [] }
  const takesNone = takesNoneOf(pool)
  if (takesNone)
    return {
      follows: [`No node begins. ${takesNone}`, ...(begunIn(facts) > 0 ? [goingOn(facts)] : []), ...next],
      warnings: [],
    }
  const tries = facts.retrying ? [goingOn({ ...facts, underWay: 0 })] : []
  return {
    follows: [
      beginning(pool, facts),
      ...tries,
      ...(then ? next : []),
      'Each is cordoned, drained, written, and most often rebooted. Several configurations that came while it was paused are taken up as one.',
      'It begins at once, within seconds, and cannot be taken back for a node that has begun; pausing again stops those that have not.',
      ...(then ? [] : next),
    ],
    warnings:
      degraded > 0
        ? [
            `${nodes(degraded)} of this pool ${degraded === 1 ? 'is' : 'are'} degraded, and ${degraded === 1 ? 'counts' : 'count'} against maxUnavailable.`,
          ]
        : [],
  }
}

/** Nodes that were told already: a resume is nothing new to them. */
const begunIn = ({ underWay, retrying = 0 }: PauseFacts): number => underWay + retrying

function goingOn({ underWay, retrying = 0 }: PauseFacts): string {
  const goes = `${nodes(underWay)} that ${underWay === 1 ? 'has begun goes' : 'have begun go'} through to the end`
  const tries = `${nodes(retrying)} that ${retrying === 1 ? 'has begun and is degraded tries again by itself' : 'have begun and are degraded try again by themselves'}`
  return `${[underWay > 0 && goes, retrying > 0 && tries].filter(Boolean).join(', and ')}, paused or not.`
}

/** All that is not through has begun. */
const noneLeft = ({ counts: { machines, updated }, pending }: Pool, facts: PauseFacts): boolean =>
  !pending && begunIn(facts) > 0 && machines - updated <= begunIn(facts)

function beginning(pool: Pool, facts: PauseFacts): string {
  const { desired } = facts
  const { machines, updated } = pool.counts
  const limit = atOnce(pool, machines)
  const left = machines - updated - (pool.pending ? 0 : begunIn(facts))
  const what = `the newest configuration${desired ? ` (${desired})` : ''}`
  const pace = `at most ${limit} at a time, zone after zone`
  if (!pool.pending && left > 0) return `${nodes(left)} ${left === 1 ? 'begins' : 'begin'} to take up ${what}, ${pace}.`
  return `Nodes without ${what} begin to take it up, ${pace}: the operator has not counted yet how many of ${machines} those are.`
}

/** What comes after what the pool wants now; null: nothing is known to come. */
function afterwards(pool: Pool, facts: PauseFacts): string | null {
  const { machines } = pool.counts
  if (isUntold(facts))
    return `The cluster is on its way to ${facts.wanted ?? 'another release'}, and of which release this pool’s configuration is cannot be told now. What is rendered for it later ${taken(pool, facts)}`
  if (countsApply(facts)) return null
  const rendered = `The configuration of ${facts.wanted} is not rendered for this pool yet.`
  if (facts.coming && facts.coming.waits !== false) return `${rendered} As soon as it is, it ${taken(pool, facts)}`
  const limit = atOnce(pool, machines)
  if (machines === 0) return `${rendered} No node waits for it.`
  const takesNone = takesNoneOf(pool)
  if (takesNone) return `${rendered} ${takesNone}`
  const all = machines === 1 ? 'its node takes' : `all ${nodes(machines)} take`
  return `${rendered} As soon as it is, ${all} it up, ${limit} at a time${governedBy(facts)}.`
}

/** By such a limit the operator begins with no node, whatever waits; null: by this one it does. */
const takesNoneOf = (pool: Pool): string | null =>
  atOnce(pool, pool.counts.machines) === null
    ? `By its maxUnavailable, ${limitOf(pool)}, the operator takes no node of this pool.`
    : null

/** What becomes of what comes later, once the pool is resumed. */
const taken = (pool: Pool, facts: PauseFacts): string => {
  const { waits = false } = facts.coming ?? {}
  const what =
    waits === null
      ? 'may be taken up at once, unapproved'
      : waits
        ? 'waits for its approval'
        : takesNoneOf(pool)
          ? 'is taken up once maxUnavailable lets nodes go'
          : 'is taken up at once'
  return `${what}${governedBy(facts)}.`
}
const governedBy = ({ coming }: PauseFacts): string => (coming ? `: the pool is governed, and ${coming.words}` : '')
const besides = ({ coming }: PauseFacts): string[] => [
  ...(coming?.trouble ? [coming.trouble] : []),
  ...(coming?.images ? [`${coming.images[0]!.toUpperCase()}${coming.images.slice(1)}.`] : []),
]
