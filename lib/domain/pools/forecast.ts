import { Clock, isWork } from '../rollout/forecast/clock'
import { AT_ONCE, Course } from '../rollout/forecast/course'
import type { Draw, Forecast, Gap } from '../rollout/forecast/types'
import type { Effect, NodeEffect } from './effect'
import { byTurn, roomLeft, type PoolNode } from './turns'

export interface PoolInput {
  nodes: readonly PoolNode[]
  /** By maxUnavailable; null: it cannot be read, and the operator takes no node. */
  atOnce: number | null
  /** What taking it up does to a node; null: not known. */
  effect: NodeEffect | null
  /** An OS image is built for it, and not there yet: no node is told before (canLayeredContinue). */
  building: boolean
}

/** A node that is not drained goes on doing its work; one of which that is not known is taken for one that is. */
const QUIET: readonly (Effect | undefined)[] = ['none', 'services']
export const isQuiet = (effect: NodeEffect | null): boolean => QUIET.includes(effect?.does)

const OUT: readonly PoolNode['at'][] = ['away', 'idle']

/** Plays a pool forward as the node controller of the Machine Config Operator takes its nodes. */
export function forecastPool(input: PoolInput, draw: Draw, gap: Gap = AT_ONCE): Forecast {
  const nodes = [...input.nodes].sort(byTurn).map((node) => ({ ...node }))
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const limit = input.building ? 0 : (input.atOnce ?? 0)
  const clock = new Clock()
  const course = new Course(clock, draw, Math.max(0, nodes.length - (input.atOnce ?? 0)), nodes.length, gap)
  const quiet = isQuiet(input.effect)
  const busy = new Set<PoolNode>()
  const begin = (node: PoolNode) => {
    busy.add(node)
    course.begin(node.name, 'update')
  }
  const frame = () => {
    const out = nodes.filter((node) => OUT.includes(node.at) || (!quiet && busy.has(node))).length
    course.frame(nodes.length - out, nodes.length, nodes.filter(({ at }) => at === 'done').length)
  }
  frame()
  for (const node of nodes) if (node.at === 'here' || node.at === 'elsewhere') begin(node)
  for (let looking = !course.pause(); ;) {
    if (looking)
      for (const node of nodes.filter(({ at }) => at === 'open').slice(0, limit && roomLeft(limit, nodes))) {
        node.at = 'here'
        begin(node)
      }
    frame()
    if (nodes.every(({ at }) => at === 'done' || at === 'idle')) return course.over()
    const due = clock.next()
    if (due.length === 0) return course.over(whyStalled(input, nodes))
    const ended = due.filter(isWork)
    for (const { machine } of ended) {
      const node = byName.get(machine)!
      busy.delete(node)
      node.at = node.at === 'here' ? 'done' : 'open'
    }
    looking = ended.length < due.length || !course.pause()
  }
}

function whyStalled({ building, atOnce }: PoolInput, nodes: readonly PoolNode[]): string {
  if (building) return 'The OS image of this pool is not built yet: no node is told of anything before it is there.'
  if (atOnce === null) return 'maxUnavailable of this pool cannot be read: the operator takes no node.'
  const left = nodes.filter(({ at }) => at === 'open').length
  const all = nodes.filter(({ at }) => at === 'away' || at === 'failed' || (left > 0 && at === 'idle'))
  const because = all.sort((a, b) => (a.at === 'failed' ? 0 : 1) - (b.at === 'failed' ? 0 : 1))
  const [first, ...more] = because
  const why = `${first!.name} ${whyNot(first!.at)}${more.length > 0 ? `, and so with ${more.length} more` : ''}`
  return left > 0
    ? `${why}: that counts against maxUnavailable, and ${left} ${left === 1 ? 'node is' : 'nodes are'} not taken before that changes.`
    : `It does not end before that changes: ${why}.`
}

/** Why the operator does not take it. */
export const whyNot = (at: PoolNode['at']): string =>
  at === 'failed' ? 'could not take it up' : `is cordoned or not Ready${at === 'idle' ? '' : ', and is not chosen'}`
