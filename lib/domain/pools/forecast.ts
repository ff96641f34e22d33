import { Clock, isWork } from '../rollout/forecast/clock'
import { AT_ONCE, Course } from '../rollout/forecast/course'
import type { Draw, Forecast, Gap } from '../rollout/forecast/types'
import type { Effect, NodeEffect } from './effect'
import { byTurn, type PoolNode } from './turns'

export interface PoolInput {
  nodes: readonly PoolNode[]
  /** By maxUnavailable; null: by it the operator takes no node. */
  atOnce: number | null
  /** What taking it up does to a node; null: not known. */
  effect: NodeEffect | null
  /** An OS image is built for it, and not there yet: no node is told before (canLayeredContinue). */
  building: boolean
}

/** A node that is not drained goes on doing its work; one of which that is not known is taken for one that is. */
const QUIET: readonly (Effect | undefined)[] = ['none', 'services']
const isQuiet = (effect: NodeEffect | null): boolean => QUIET.includes(effect?.does)

/**
 * Plays a pool forward as the node controller of the Machine Config Operator takes its nodes, as often as it is called: who comes
 * after whom is found once.
 */
export function poolForecast(input: PoolInput): (draw: Draw, gap?: Gap) => Forecast {
  const sorted = [...input.nodes].sort(byTurn)
  const places = new Map(sorted.map(({ name }, place) => [name, place]))
  return (draw, gap = AT_ONCE) => played(input, new Line(sorted, places), draw, gap)
}

function played(input: PoolInput, line: Line, draw: Draw, gap: Gap): Forecast {
  const { nodes } = line
  const limit = input.building ? 0 : (input.atOnce ?? 0)
  const clock = new Clock()
  const course = new Course(clock, draw, Math.max(0, nodes.length - (input.atOnce ?? 0)), nodes.length, gap)
  const quiet = isQuiet(input.effect)
  const frame = () => {
    const busy = quiet ? 0 : line.count('here', 'elsewhere')
    course.frame(
      nodes.length - line.count('away', 'broken', 'idle', 'failed-away') - busy,
      nodes.length,
      line.count('done'),
    )
  }
  frame()
  for (const { name, at } of nodes) if (at === 'here' || at === 'elsewhere') course.begin(name, 'update')
  for (let looking = !course.pause(); ;) {
    // What is told now takes room as soon as it is.
    for (let node = line.next(); looking && node && line.hasRoom(limit); node = line.next()) {
      line.put(node, 'here')
      course.begin(node.name, 'update')
    }
    frame()
    if (line.count('done', 'idle') === nodes.length) return course.over()
    const due = clock.next()
    if (due.length === 0) return course.over(whyStalled(input, nodes))
    const ended = due.filter(isWork)
    for (const { machine } of ended) {
      const node = line.named(machine)
      line.put(node, node.at === 'here' ? 'done' : 'open')
    }
    looking = ended.length < due.length || !course.pause()
  }
}

/** Nodes in their turn, counted as they move: a pool of thousands that goes one by one is looked at thousands of times. */
class Line {
  readonly nodes: PoolNode[]
  private readonly counts = new Map<PoolNode['at'], number>()
  /** Before this one none is open. */
  private first = 0

  constructor(
    sorted: readonly PoolNode[],
    private readonly places: ReadonlyMap<string, number>,
  ) {
    this.nodes = sorted.map((node) => ({ ...node }))
    for (const { at } of this.nodes) this.counts.set(at, this.count(at) + 1)
  }

  count = (...at: PoolNode['at'][]): number => at.reduce((sum, one) => sum + (this.counts.get(one) ?? 0), 0)
  named = (name: string): PoolNode => this.nodes[this.places.get(name)!]!

  /**
   * Whether one more is told now (getAllCandidateMachines): what is out of work or under way counts against maxUnavailable, and
   * so does what failed at what is wanted: both, twice.
   */
  hasRoom = (atOnce: number): boolean =>
    this.nodes.length - this.count('done', 'open') + this.count('failed-away') < atOnce

  put(node: PoolNode, at: PoolNode['at']): void {
    this.counts.set(node.at, this.count(node.at) - 1)
    this.counts.set(at, this.count(at) + 1)
    node.at = at
    if (at === 'open') this.first = Math.min(this.first, this.places.get(node.name)!)
  }

  /** Whose turn it is. */
  next(): PoolNode | undefined {
    while (this.nodes[this.first] && this.nodes[this.first]!.at !== 'open') this.first++
    return this.nodes[this.first]
  }
}

function whyStalled({ building, atOnce }: PoolInput, nodes: readonly PoolNode[]): string {
  if (building) return 'The OS image of this pool is not built yet: no node is told of anything before it is there.'
  if (atOnce === null)
    return 'By its maxUnavailable (no number or share, or below zero) the operator takes no node of this pool.'
  const left = nodes.filter(({ at }) => at === 'open').length
  const all = nodes.filter(({ at }) => at === 'away' || at === 'broken' || hasFailed(at) || (left > 0 && at === 'idle'))
  const because = all.sort((a, b) => (hasFailed(a.at) ? 0 : 1) - (hasFailed(b.at) ? 0 : 1))
  const [first, ...more] = because
  const why = `${first!.name} ${whyNot(first!.at)}${more.length > 0 ? `, and so with ${more.length} more` : ''}`
  return left > 0
    ? `${why}: that counts against maxUnavailable, and ${left} ${left === 1 ? 'node is' : 'nodes are'} not taken before that changes.`
    : `It does not end before that changes: ${why}.`
}

const hasFailed = (at: PoolNode['at']): boolean => at === 'failed' || at === 'failed-away'

/** Why the operator does not take it. */
export function whyNot(at: PoolNode['at']): string {
  if (at === 'broken') return 'is degraded where it is, and takes nothing up before that is mended'
  if (hasFailed(at)) return `could not take it up${at === 'failed' ? '' : `, and ${OUT_OF_WORK}`}`
  return `${OUT_OF_WORK}${at === 'idle' ? '' : ', and is not chosen'}`
}
const OUT_OF_WORK = 'is cordoned, not Ready or under pressure'
