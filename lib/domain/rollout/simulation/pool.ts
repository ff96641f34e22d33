import { deletionPriority, numberOf } from '../priority'
import type { MachineView, SetMachine } from '../machine-set'
import type { DeletionOrder, PlanMode } from '../types'

/** A Machine that a simulation moves. Once it is in a pool, only the pool changes it. */
export interface SimulatedMachine extends SetMachine {
  /** Became available once; in the harness all of them are from the start. */
  started: boolean
}

/** All fields, always in the same order: objects of one shape are read several times as fast. */
const memberOf = (machine: SimulatedMachine): Required<SimulatedMachine> => ({
  name: machine.name,
  createdAt: machine.createdAt,
  hasNode: machine.hasNode,
  started: machine.started,
  deleting: machine.deleting ?? false,
  marked: machine.marked ?? false,
  updating: machine.updating ?? false,
  unhealthy: machine.unhealthy ?? false,
  pendingMove: machine.pendingMove ?? false,
  remediate: machine.remediate ?? false,
})

export type Facts = Omit<Partial<SimulatedMachine>, 'name'>

/**
 * The machines of a set, counted as they change: a pass costs what it does, not what is there. Iterates by number, as
 * upstream's tests list them.
 */
export class Pool implements MachineView {
  /** Grows with every change. */
  version = 0
  private readonly members = new Map<string, SimulatedMachine>()
  private readonly counts = { available: 0, updating: 0, deleting: 0 }
  private readonly notCounted = new Set<string>()
  private queue: SimulatedMachine[] | undefined
  private head = 0
  private queuedFor = ''

  constructor(
    readonly mode: PlanMode,
    machines: Iterable<SimulatedMachine> = [],
  ) {
    for (const machine of machines) this.add(machine)
  }

  get size() {
    return this.members.size
  }
  get available() {
    return this.counts.available
  }
  get updating() {
    return this.counts.updating
  }
  get deleting() {
    return this.counts.deleting
  }
  get pending(): ReadonlySet<string> {
    return this.notCounted
  }

  get(name: string): Readonly<SimulatedMachine> | undefined {
    return this.members.get(name)
  }

  [Symbol.iterator](): Iterator<Readonly<SimulatedMachine>> {
    return [...this.members.values()].sort((a, b) => numberOf(a.name) - numberOf(b.name))[Symbol.iterator]()
  }

  add(machine: SimulatedMachine): void {
    const member = memberOf(machine)
    this.members.set(member.name, member)
    this.count(member, 1)
    this.queue = undefined
  }

  take(name: string): SimulatedMachine {
    const machine = this.members.get(name)
    if (!machine) throw new Error(`there is no Machine ${name} now`)
    this.members.delete(name)
    this.count(machine, -1)
    return machine
  }

  change(name: string, facts: Facts): void {
    const machine = this.members.get(name)
    if (!machine) throw new Error(`there is no Machine ${name} now`)
    this.count(machine, -1)
    Object.assign(machine, facts)
    this.count(machine, 1)
    // What is going only leaves the queue; anything else may change its place.
    if (!machine.deleting) this.queue = undefined
  }

  /** Those that are not going yet, the first to go first. The order is made once and consumed from its head. */
  *inOrder(order: DeletionOrder, now: number): Iterable<SimulatedMachine> {
    const wanted = `${order} ${now}`
    if (!this.queue || this.queuedFor !== wanted) {
      const ranked = [...this.members.values()].map(
        (machine) => [deletionPriority(machine, order, now), machine] as const,
      )
      ranked.sort(([a, m], [b, n]) => b - a || (m.name < n.name ? -1 : 1))
      this.queue = ranked.map(([, machine]) => machine)
      this.head = 0
      this.queuedFor = wanted
    }
    const here = (m: SimulatedMachine) => !m.deleting && this.members.get(m.name) === m
    while (this.head < this.queue.length && !here(this.queue[this.head]!)) this.head++
    const { queue } = this
    for (let at = this.head; at < queue.length; at++) if (here(queue[at]!)) yield queue[at]!
  }

  private count(machine: SimulatedMachine, by: 1 | -1) {
    this.version++
    if (this.isAvailable(machine)) this.counts.available += by
    if (machine.updating) this.counts.updating += by
    if (machine.deleting) this.counts.deleting += by
    if (!machine.pendingMove) return
    if (by === 1) this.notCounted.add(machine.name)
    else this.notCounted.delete(machine.name)
  }

  private isAvailable({ updating, started, deleting, unhealthy }: SimulatedMachine): boolean {
    return !updating && (this.mode === 'harness' || (started && !deleting && !unhealthy))
  }
}
