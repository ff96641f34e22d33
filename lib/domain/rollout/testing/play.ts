import {
  planRollout,
  planSet,
  viewOf,
  questions,
  type PlanMode,
  type RolloutPlan,
  type RolloutState,
  type RolloutStrategy,
} from '../index'

/** A rollout played by the rules of the controllers, one machine set after another. For tests. */
export interface PlayMachine {
  name: string
  set: number
  updating?: boolean
  pendingMove?: boolean
  /** Never becomes available. */
  broken?: boolean
}

export interface Scenario {
  replicas: number
  strategy: RolloutStrategy
  /** Machine numbers per set; the current set is the one after the last, or `current`. */
  sets: number[][]
  inPlace: boolean
  mode?: PlanMode
  /** Indices of sets that must be replaced whatever the updater says. */
  ineligible?: number[]
  /** Machines that are not available at the start. */
  broken?: number[]
  /** OnDelete: the user deletes one old machine whenever this many may be missing. */
  userUnavailable?: number
}

interface PlaySet {
  spec: number
  status: number
  available: number
  upToDate: number
  plan?: RolloutPlan['current']
}

const label = (n: number) => `m${String(n).padStart(4, '0')}`

export class Play {
  machines: PlayMachine[] = []
  sets: PlaySet[] = []
  /** [available, machines] after every pass of the deployment's planner */
  history: { available: number; machines: number; plan: RolloutPlan }[] = []
  created = 0
  deleted: string[] = []
  private next = 1

  constructor(readonly scenario: Scenario) {
    scenario.sets.forEach((numbers, index) => {
      for (const n of numbers) {
        this.machines.push({ name: label(n), set: index, broken: scenario.broken?.includes(n) })
        this.next = Math.max(this.next, n + 1)
      }
      const available = numbers.filter((n) => !scenario.broken?.includes(n)).length
      this.sets.push({ spec: numbers.length, status: numbers.length, available, upToDate: 0 })
    })
    this.sets.push({ spec: 0, status: 0, available: 0, upToDate: 0 })
  }

  get current() {
    return this.sets.length - 1
  }

  of(set: number) {
    return this.machines.filter((m) => m.set === set)
  }

  names(set: number) {
    return this.of(set).map((m) => `m${Number(m.name.slice(1))}`)
  }

  get settled() {
    return (
      this.sets.slice(0, -1).every((s, i) => s.spec === 0 && this.of(i).length === 0) &&
      this.of(this.current).length === this.scenario.replicas &&
      this.sets[this.current]?.spec === this.scenario.replicas &&
      this.machines.every((m) => !m.updating && !m.pendingMove)
    )
  }

  /** Plays until nothing is left to do. Throws where that takes more iterations than allowed. */
  run(iterations = 150, order: (tasks: number[]) => number[] = (tasks) => tasks) {
    for (let i = 0; i < iterations; i++) {
      if (this.settled) return this
      for (const task of order([-1, ...this.sets.keys()])) {
        if (task < 0) this.deployment()
        else this.set(task)
      }
      this.user()
    }
    if (!this.settled) throw new Error(`not settled after ${iterations} iterations`)
    return this
  }

  state(): RolloutState {
    const { scenario } = this
    const set = (index: number) => {
      const { spec, status, available, upToDate, plan } = this.sets[index] as PlaySet
      const { moveTo, receiveFrom, acknowledged } = plan ?? {}
      return {
        name: `ms${index + 1}`,
        createdAt: index,
        spec,
        status,
        available,
        upToDate,
        moveTo,
        receiveFrom,
        acknowledged,
      }
    }
    return {
      replicas: scenario.replicas,
      strategy: scenario.strategy,
      current: set(this.current),
      olds: [...this.sets.keys()].slice(0, -1).map((i) => ({ ...set(i), eligible: !scenario.ineligible?.includes(i) })),
      pendingMoves: this.of(this.current)
        .filter((m) => m.pendingMove)
        .map((m) => m.name),
      updating: this.machines.some((m) => m.updating),
      inPlaceUpdates: scenario.inPlace,
    }
  }

  private deployment() {
    const state = this.state()
    const plan = planRollout(state, new Set(questions(state)), this.scenario.mode)
    for (const [index, set] of [...plan.olds, plan.current].entries()) {
      Object.assign(this.sets[index] as PlaySet, { spec: set.replicas, plan: set })
    }
    this.history.push({
      available: this.sets.reduce((n, s) => n + s.available, 0),
      machines: this.sets.reduce((n, s) => n + Math.max(s.spec, s.status), 0),
      plan,
    })
  }

  private set(index: number) {
    const set = this.sets[index] as PlaySet
    const { plan } = set
    for (const m of this.of(index)) {
      if (m.updating && !m.pendingMove) m.updating = false
    }
    for (const m of this.of(index)) {
      if (!plan?.receiveFrom || plan.acknowledged?.includes(m.name)) m.pendingMove = false
    }
    const step = planSet(
      {
        replicas: set.spec,
        moveTo: plan?.moveTo,
        receives: plan?.receiveFrom !== undefined,
        disableMachineCreate: plan?.disableMachineCreate,
        order: 'Random',
      },
      viewOf(this.of(index).map((m) => ({ ...m, createdAt: 0, hasNode: !m.broken }))),
      0,
    )
    for (let i = 0; i < step.create; i++) this.machines.push({ name: label(this.next++), set: index })
    this.created += step.create
    for (const m of this.machines) {
      if (step.move.includes(m.name)) Object.assign(m, { set: this.current, updating: true, pendingMove: true })
    }
    this.deleted.push(...step.delete)
    this.machines = this.machines.filter((m) => !step.delete.includes(m.name))
    const mine = this.of(index)
    set.status = mine.length
    set.available = mine.filter((m) => !m.updating && !m.broken).length
    set.upToDate = index === this.current ? set.available : 0
  }

  private user() {
    const { userUnavailable, replicas } = this.scenario
    if (userUnavailable === undefined) return
    const old = this.machines.find((m) => m.set !== this.current)
    if (old && this.machines.length > replicas - userUnavailable) {
      this.machines = this.machines.filter((m) => m !== old)
      this.deleted.push(old.name)
    }
  }
}
