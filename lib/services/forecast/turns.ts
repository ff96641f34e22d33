import type { RolloutShape } from '@/lib/providers/cluster-api'
import { rolloutOf, type Played } from './input'

/**
 * Names of a control plane's machines in the order in which they have their turn, approved in place, once all are well:
 * one that is not keeps the others waiting. Null: nothing is known of its machines.
 */
export async function turnsOf(change: Played, wanted: RolloutShape): Promise<string[] | null> {
  const rollout = await rolloutOf(change, 'in-place', Date.now(), wanted, true)
  if (!rollout || rollout.there.size === 0) return null
  const { moves } = rollout.play(
    () => 1_000,
    () => 0,
  )
  const first = moves.filter(({ machine, work }) => work !== 'create' && rollout.there.has(machine))
  return [...new Set(first.map(({ machine }) => machine))]
}
