import type { DeletionOrder } from './types'

/** What deciding which machine goes (or moves) first needs of it. */
export interface Candidate {
  name: string
  createdAt: number
  deleting?: boolean
  /** Annotated cluster.x-k8s.io/delete-machine */
  marked?: boolean
  /** In-place update in progress */
  updating?: boolean
  /** No node, NodeHealthy False, or HealthCheckSucceeded False */
  unhealthy?: boolean
}

/** Ten days: the scale on which age counts. */
const SCALE_SECONDS = 864_000

export function deletionPriority(machine: Candidate, order: DeletionOrder, now: number): number {
  if (machine.deleting) return 100
  if (machine.marked) return 80
  if (machine.updating) return 75
  if (machine.unhealthy) return 50
  if (order === 'Random') return 20
  const age = (now - machine.createdAt) / 1000
  const byAge = machine.createdAt === 0 || age <= 0 ? 0 : 50 * (1 - Math.exp(-age / SCALE_SECONDS))
  return order === 'Oldest' ? byAge : 50 - byAge
}

/**
 * First to go first. Ties by name, which is what "Random" comes down to. With "Oldest" and "Newest" upstream reads the
 * clock anew in every comparison (machineset_deletion_order.go), and so machines of the very same second go in any order:
 * by name is a guess there.
 */
export function inDeletionOrder<M extends Candidate>(machines: readonly M[], order: DeletionOrder, now: number): M[] {
  return machines
    .map((machine) => ({ machine, priority: deletionPriority(machine, order, now) }))
    .sort(
      (a, b) =>
        b.priority - a.priority || (a.machine.name < b.machine.name ? -1 : a.machine.name > b.machine.name ? 1 : 0),
    )
    .map(({ machine }) => machine)
}

/**
 * Machines of which any may come first: equal in all that counts, where not even their names decide. Names of each such group. With
 * "Random" names do decide, and of machines that differ by a second their age does.
 */
export function tiesOf(machines: readonly Candidate[], order: DeletionOrder): string[][] {
  if (order === 'Random') return []
  const groups = new Map<string, string[]>()
  for (const { name, createdAt, deleting, marked, updating, unhealthy } of machines) {
    // These go before any age is asked for, and then by name.
    if (deleting || marked || updating || unhealthy) continue
    const second = String(Math.floor(createdAt / 1000))
    const names = groups.get(second)
    if (names) names.push(name)
    else groups.set(second, [name])
  }
  return [...groups.values()].filter((names) => names.length > 1)
}

/** The number of a machine called m12; 0 where there is none. */
export function numberOf(name: string): number {
  const digits = /^m?(\d+)$/.exec(name)?.[1]
  return digits === undefined ? 0 : Number(digits)
}

/** Upstream's tests: those that update first, the last of them before the others; then by number. */
export function inHarnessOrder<M extends Candidate>(machines: readonly M[]): M[] {
  const rank = (m: M) => (m.updating ? 0 : 1)
  const number = (m: M) => (m.updating ? -numberOf(m.name) : numberOf(m.name))
  return [...machines].sort((a, b) => rank(a) - rank(b) || number(a) - number(b))
}
