import { fenceposts } from './fenceposts'
import type { RolloutStrategy } from './types'

/** Of a MachineDeployment: machines that are not available use up all that may be so, and nothing more begins. */
export interface NoRoom {
  names: string[]
  /** How many may be not available. */
  may: number
}

interface Machine {
  name: string
  /** It is as its group wants it; null: not known. */
  upToDate: boolean | null
  ready: boolean
  updating: boolean
  deleting: boolean
  /** Its updater failed: it is not available, and nothing is at work there. */
  failed?: boolean
}

/**
 * As the controller reckons: an old one goes only while more are there than have to be available, and each new one that is not
 * available counts as missing; a new one comes only while fewer are there than may be. Null: it goes on, nothing is left of it, or nobody
 * can tell: an old one that is not available goes before others, and what is at work makes room.
 */
export function noRoomOf(all: readonly Machine[], strategy: RolloutStrategy, replicas: number): NoRoom | null {
  if (strategy.type === 'OnDelete') return null
  const machines = all.map((machine) => (machine.failed && machine.updating ? { ...machine, ...FAILED } : machine))
  if (machines.some(({ upToDate, updating, deleting }) => upToDate === null || updating || deleting)) return null
  const olds = machines.filter(({ upToDate }) => !upToDate)
  if (olds.length === 0 || olds.some(({ ready }) => !ready)) return null
  const away = machines.filter(({ ready }) => !ready)
  const { surge, unavailable } = fenceposts(strategy, replicas)
  const isFull = machines.length >= replicas + surge || machines.length - olds.length >= replicas
  const may = machines.length - Math.max(replicas - unavailable, 0)
  if (!isFull || away.length < may) return null
  return { names: away.map(({ name }) => name).sort(), may }
}

/** As Cluster API sees it: of the new revision, and not available. */
const FAILED = { upToDate: true, ready: false, updating: false }

const NAMED = 3

/** "w-1 is not available, and only 1 may be: nothing more begins until it is available again, or deleted". */
export function noRoomWords({ names, may }: NoRoom): string {
  const more = names.length - NAMED
  const all = more > 0 ? [...names.slice(0, NAMED), `${more} more`] : names
  const only = `and only ${may} may be: nothing more begins until`
  if (all.length === 1) return `${all[0]} is not available, ${only} it is available again, or deleted`
  const back = names.length - may + 1
  const until = back === names.length ? 'they are' : back === 1 ? 'one of them is' : `${back} of them are`
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)} are not available, ${only} ${until} available again, or deleted`
}
