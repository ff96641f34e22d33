import { duration } from '@/components/ui/time-words'
import type { Effect, NodeEffect } from '@/lib/domain/pools/effect'
import type { PoolTurns } from '@/lib/domain/pools/turns'
import type { Plan } from '@/lib/services/forecast/plan'
import { roughly } from './course-words'

const DOES: Record<Effect, string> = {
  none: 'files written, no drain and no reboot',
  services: 'files written, services reloaded or restarted, no drain and no reboot',
  reload: 'CRI-O reloaded, no reboot; drained only where images may be pulled from elsewhere',
  drain: 'drained, not rebooted',
  reboot: 'drained and rebooted',
}

/** What is done to a node, in few words. */
export function doesWords(effect: NodeEffect | null): string {
  if (!effect) return 'not known'
  return `${DOES[effect.does]}${effect.sure ? '' : ', unless a node disruption policy says otherwise'}`
}

/** "At most 2 nodes at once: zone after zone, those without one last, and of each the oldest first." */
export function ruleWords({ atOnce }: Pick<PoolTurns, 'atOnce'>): string {
  const many = atOnce === null ? 'How many nodes at once is not known' : `At most ${nodes(atOnce)} at once`
  return `${many}: zone after zone, those without one last, and of each the oldest first.`
}

const nodes = (n: number): string => `${n} ${n === 1 ? 'node' : 'nodes'}`

/** Where the operator has no order, nobody else has one either. */
export function tiesWords(ties: PoolTurns['ties']): string | null {
  const [first, ...more] = ties
  if (!first) return null
  const names = first.length > FEW ? `${first.length} nodes (${first.slice(0, FEW).join(', ')} …)` : listed(first)
  const also = more.length > 0 ? `, and so with ${more.length} more ${more.length === 1 ? 'group' : 'groups'}` : ''
  return `Which of ${names} comes first is not known: they are of one zone and one age, or their age is not known${also}.`
}
const FEW = 3
const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export interface Turn {
  name: string
  zone: string | null
  does: string
  when: string
}

/** Each node in its order: what is done to it, and about when that begins; `begun`: by name, what has. */
export function turnsOf({ moves, pool }: Pick<Plan, 'moves' | 'pool'>, begun?: ReadonlySet<string>): Turn[] {
  if (!pool) return []
  // One that is on its way to something else has its turn after that.
  const last = new Map(moves.map((move) => [move.machine, move]))
  const elsewhere = new Set(pool.elsewhere)
  const does = doesWords(pool.effect)
  const first = Math.min(...moves.map(({ from }) => from))
  return [...last.values()]
    .sort((a, b) => a.from - b.from)
    .map(({ machine, from }) => ({
      name: machine,
      zone: pool.zones[machine] ?? null,
      does: elsewhere.has(machine) ? 'not known: it comes from another configuration than was compared' : does,
      when:
        begun?.has(machine) && from === first
          ? 'has begun'
          : from === first
            ? 'at once'
            : `after ${duration(roughly(from))}`,
    }))
}
