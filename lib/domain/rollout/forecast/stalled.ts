import { currentOf, sumOf, type Simulation } from '../simulation'
import type { DeploymentInput } from './types'

/** Why a rollout that was played forward does not end by itself, from where it came to. */
export function whyStalled(simulation: Simulation, input: DeploymentInput): string {
  const { strategy, sets } = simulation
  const old = sumOf(sets, (set) => (set.wanted ? 0 : set.machines.size))
  if (strategy.type === 'OnDelete' && old > 0)
    return 'Nothing moves by itself: with the strategy OnDelete, an old machine goes when somebody deletes it. A new one comes for each; until that is ready, one fewer is available.'
  const there = (name: string) => sets.find(({ machines }) => machines.get(name)?.unhealthy)
  const ill = input.sets.flatMap(({ wanted, machines }) =>
    machines.flatMap(({ name, says }) => {
      const set = there(name)
      return set ? [{ name, says, updated: set.wanted && !wanted }] : []
    }),
  )
  const names = listed(ill)
  const [it, is] = ill.length === 1 ? ['it', 'is'] : ['they', 'are']
  if (ill.length > 0 && isThrough(simulation))
    return `Every machine has it in the end. It is done when ${names} ${is} available; when that is, nobody knows. ${whyIll(ill)}`
  // Cluster API takes what is not well before others; until it is back it counts as missing.
  if (old > 0 && ill.length > 0 && ill.every(({ updated }) => updated))
    return `${names} ${is} updated. Before ${it} ${is} available then, ${old} more ${old === 1 ? 'does' : 'do'} not begin; when that is, nobody knows. ${whyIll(ill)}`
  return `Machines that are not available keep it from going on: ${whyIll(ill)}`
}

/** All machines are what is wanted, and as many as are wanted: at most they are not available. */
function isThrough(simulation: Simulation): boolean {
  const current = currentOf(simulation)
  const { replicas } = simulation.deployment
  return simulation.sets.every((set) => set.machines.size === (set === current ? replicas : 0))
}

interface Ill {
  name: string
  says?: string
}

const NAMED = 3
function listed(ill: readonly Ill[]): string {
  const names = ill.slice(0, NAMED).map(({ name }) => name)
  const more = ill.length - names.length
  if (more > 0) return `${names.join(', ')} and ${more} more`
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** By name, and what the first of them says of itself. */
function whyIll(ill: readonly Ill[]): string {
  if (ill.length === 0) return 'what they wait for is not known.'
  const first = ill.find(({ says }) => says)
  if (!first) return `${listed(ill)}: what ${ill.length === 1 ? 'it waits' : 'they wait'} for is not known.`
  const others = ill.filter((one) => one !== first)
  const either =
    others.length > 0 ? ` ${listed(others)} ${others.length === 1 ? 'is' : 'are'} not available either.` : ''
  return `${first.name}: ${first.says}${either}`
}
