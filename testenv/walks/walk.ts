import { setTimeout as sleep } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'
import { outlookIn } from '@/lib/services/changes/change-row'
import { ServiceError } from '@/lib/services/errors'
import { seeded } from '@/sandbox/fleets/random'
import type { SandboxObject } from '@/sandbox/types'
import type { Workload } from '../suites/governing'
import { NOTHING, type Action } from './action'
import { ACTIONS, HALTING } from './actions'
import { nobodyActs, PLOTS } from './plots'
import { ends } from './ends'
import type { Walked } from './known'
import { NEW_WORDS, Story } from './model'
import { Oracle } from './oracle'
import { Recorder, wantsOf } from './recorder'
import type { World } from './world'

type Template = { spec: { version: string; bootstrap?: JsonObject } }

interface Found {
  row: Change
  isNow: boolean
}

const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']

/** One walk: what is done in which order follows from its seed. */
export class Walk {
  readonly told: string[] = []
  readonly groups: Walked[] = []
  readonly original = new Map<string, JsonObject>()
  readonly policies = new Map<string, { id: string; version: number }>()
  story!: Story
  recorder!: Recorder
  oracle!: Oracle
  private w!: Workload
  private focus: Walked | null = null
  private readonly random

  constructor(
    readonly world: World,
    readonly seed: number,
  ) {
    this.random = seeded(seed)
  }

  get namespace(): string {
    return this.w.namespace
  }
  get admin(): KubeClient {
    return this.world.cluster.admin
  }

  any = <T>(of: readonly T[]): T => of[this.random.int(of.length)]!
  chance = (percent: number): boolean => this.random.int(100) < percent
  /** One that is under way, if any is, for then there is most to be wrong. */
  anyGroup = (): Walked => {
    if (this.focus) return this.focus
    const moving = this.groups.filter(({ name }) => this.isUnderWay(name))
    return this.any(moving.length > 0 && this.chance(75) ? moving : this.groups)
  }

  isUnderWay(name: string): boolean {
    const { wants } = this.story.now.groups[name]!
    const isOld = (machine: SandboxObject) => this.recorder.keyOfMachine(machine) !== wants
    return !this.recorder.isHeld(name) && this.recorder.members(name).some(isOld)
  }

  tell = (what: string): void => void this.told.push(`${new Date().toISOString().slice(11, 23)} ${what}`)

  /** Two groups: workers, and workers or a control plane; nothing of them is held yet. */
  async begin(): Promise<void> {
    const { g, cluster } = this.world
    const id = `s${this.seed}`
    const { on } = PLOTS[this.seed % PLOTS.length]!
    const plane = on ? on === 'plane' : this.chance(40)
    this.w = await g.workload(id, { controlPlane: plane ? { replicas: 3, maxSurge: 0 } : { replicas: 1 } })
    await g.templates(this.w)
    for (const nth of plane ? [1] : [1, 2]) {
      await g.group(this.w, `${id}-g${nth}`, { replicas: 3 })
      this.groups.push({ name: `${id}-g${nth}`, isPlane: false })
    }
    if (plane) this.groups.push({ name: this.w.controlPlane, isPlane: true })
    const workers = this.groups.filter(({ isPlane }) => !isPlane)
    await g.settled(
      [this.w],
      workers.map(({ name }) => ({ w: this.w, name, replicas: 3 })),
      60_000,
    )
    this.recorder = new Recorder(cluster.sandbox.store, this.namespace)
    for (const { name } of this.groups) {
      const { version, template } = this.recorder.read(name).spec as { version?: string; template?: Template }
      const { bootstrap } = template?.spec ?? {}
      this.original.set(name, { version: version ?? template!.spec.version, ...(bootstrap ? { bootstrap } : {}) })
    }
    const first = { ...NEW_WORDS, replicas: 3, theirs: false, forPeople: [] }
    const words = this.groups.map(({ name }) => [name, { ...first, wants: wantsOf(this.recorder.read(name)) }] as const)
    this.story = new Story({ policies: {}, groups: Object.fromEntries(words) })
    this.oracle = new Oracle(this.story, this.recorder, this.groups, this.world.later)
    this.world.onFailure.add(this.failed)
  }

  private failed = (machine: string): void => {
    for (const { name } of this.groups)
      if (this.recorder.members(name).some(({ metadata }) => metadata.name === machine)) this.oracle.failed(name)
  }

  /** The newest change of a group that is open, and whether it is what the group wants now. */
  async change(name: string): Promise<Found | null> {
    const where = { clusterId: this.world.g.clusterId, namespace: this.namespace, groupName: name, state: { in: OPEN } }
    const row = await db().change.findFirst({ where, orderBy: { detectedAt: 'desc' } })
    return row && { row, isNow: row.digest === rolloutDigest(this.recorder.read(name)) }
  }

  /** The same, once what the group wants now is planned and updaters were asked, or after so long. */
  async planned(name: string, ms: number): Promise<Found | null> {
    for (const end = Date.now() + ms; ;) {
      const found = await this.change(name)
      const isReady = found?.isNow && outlookIn(found.row).unknown === undefined
      if (isReady || !this.recorder.isHeld(name) || Date.now() > end) return found
      await sleep(200)
    }
  }

  async says(what: string, may: (row: Change) => boolean, verb: (name: string, found: Found) => Promise<void>) {
    const { name } = this.anyGroup()
    const found = await this.change(name)
    if (!found || !may(found.row)) return NOTHING
    this.tell(`somebody ${what} ${name}`)
    return verb(name, found)
  }

  private action(of: typeof ACTIONS): Action {
    let left = this.random.int(of.reduce((sum, [often]) => sum + often, 0))
    return of.find(([often]) => (left -= often) < 0)![1]
  }

  /** Null: something by chance, or something else where there is nothing to do. */
  private async step(of: Action | null, focus: Walked | null, often = ACTIONS): Promise<void> {
    try {
      for (let tries = 0; tries < 20; tries++)
        if ((await this.onto(focus, of ?? this.action(often))) !== NOTHING || of) return
    } catch (error) {
      // Refusals are for whoever asked; everything else is an error of ours.
      if (!(error instanceof ServiceError) && typeof (error as { code?: unknown }).code !== 'number') throw error
      this.tell(`  refused: ${(error as Error).message}`)
    }
  }

  /** What an action chooses first is its group. */
  private onto(focus: Walked | null, action: Action) {
    this.focus = focus
    const done = action(this)
    this.focus = null
    return done
  }

  private plot({ on, acts }: (typeof PLOTS)[number]): [Walked, Action[]] {
    const fitting = this.groups.filter(({ isPlane }) => !on || isPlane === (on === 'plane'))
    return [this.any(fitting.length > 0 ? fitting : this.groups), [...acts, nobodyActs]]
  }

  /** Something of what a group goes through, with what chance puts between; what is broken once says no more. */
  async go(steps: number): Promise<void> {
    let [about, acts] = this.plot(PLOTS[this.seed % PLOTS.length]!)
    for (let i = 0; i < steps; i++) {
      if (acts.length === 0) [about, acts] = this.plot(this.any(PLOTS))
      const isHot = this.groups.some(({ name }) => this.isUnderWay(name)) && this.chance(60)
      const isPlot = this.chance(75)
      // What is not of it mostly is not about the same group, unless it holds that.
      const [other = null] = this.groups.filter((group) => group !== about && !isHot && this.chance(80))
      const chosen = isPlot ? this.step(acts.shift()!, about) : this.step(null, other, isHot ? HALTING : ACTIONS)
      // Now and then two people do something in the same moment.
      await Promise.all([chosen, ...(this.chance(15) ? [this.step(null, other)] : [])])
      const isLong = this.chance(isPlot ? 5 : 15)
      await sleep(isLong ? 11_000 : this.any([0, 100, 300, 1_000, ...(isPlot ? [] : [2_500])]))
      this.oracle.look()
      if (this.oracle.broken.length > 0) return
    }
    await ends(this)
    this.oracle.look()
  }

  stop(): void {
    this.world.onFailure.delete(this.failed)
    this.recorder?.stop()
  }
}
