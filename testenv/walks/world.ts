import { loadavg } from 'node:os'
import { inject, vi } from 'vitest'
import pg from 'pg'
import { db, databaseUrl } from '@/lib/db/client'
import { closeClients } from '@/lib/services/clusters/connection'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { startApplier } from '@/worker/applier'
import { askedConsumer } from '@/worker/asked'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { log } from '@/worker/log'
import { plannerConsumer } from '@/worker/planner'
import type { Part } from '@/worker/parts'
import { registrationConsumer } from '@/worker/registration'
import { scalingConsumer } from '@/worker/scaling'
import { startWorker, type Worker } from '@/worker/worker'
import { Turning } from '../suites/turning'
import { until } from '../process'

const consumers = [registrationConsumer, askedConsumer, plannerConsumer, calendarConsumer, scalingConsumer]
const applier: Part = { name: 'applier', start: (context) => Promise.resolve(startApplier(context)) }

const errorsToo = (_: string, value: unknown) => (value instanceof Error ? value.stack : value)

/** Not so fast that a rollout is over before anybody can say something of it. */
const SPEED = 4

/** As the machine says it: beyond this nothing comes within the time that is promised. */
const BUSY = 4

/** What all walks of a process share: the simulated management cluster, the gate, the workers, and what happens to these. */
export class World {
  readonly errors: string[] = []
  /** Machines whose updates fail, and who is told so. */
  readonly failing = new Set<string>()
  readonly onFailure = new Set<(machine: string) => void>()
  private readonly away: { from: number; to: number }[] = []
  private readonly workers: Worker[] = []

  private constructor(
    readonly cluster: SandboxTestCluster,
    readonly g: Turning,
    private readonly gate: Gate,
  ) {}

  static async begin(): Promise<World> {
    const cluster = await sandboxTestCluster({ speed: SPEED })
    const g = new Turning(cluster, { deadlineMs: 60_000, watchMs: 1_000 })
    const gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    const world = new World(cluster, g, gate)
    world.hear()
    await g.connect()
    await g.latched()
    await world.another()
    const failing = (machine: string) => {
      if (!world.failing.has(machine)) return false
      for (const told of world.onFailure) told(machine)
      return true
    }
    await g.addUpdater(6_000, {
      covers: {
        machine: ['version'],
        bootstrap: ['preKubeadmCommands', 'clusterConfiguration.featureGates.ControlPlaneKubeletLocalMode'],
      },
      failing,
    })
    await g.register(gate.url)
    return world
  }

  /** How much later something may come at this moment, because what does it was away. */
  later = (at: number): number => {
    const near = this.away.filter(({ from, to }) => from <= at && to + 12_000 >= at)
    return (near.length > 0 ? 15_000 : 0) + (loadavg()[0]! > BUSY ? 4_000 : 0)
  }

  /** Nothing of it was away lately. */
  isCalm = (): boolean => this.away.every(({ to }) => to < Date.now() - 45_000)

  wasAway = (at: number): boolean => this.later(at) >= 15_000

  /** A person does something, or the database is cut off: never both, for nobody could tell what had become of it. */
  async acts<T>(work: () => Promise<T>): Promise<T> {
    while (this.cutting) await this.cutting
    this.acting++
    try {
      return await work()
    } finally {
      this.acting--
    }
  }
  private acting = 0
  private cutting: Promise<void> | null = null

  private async while(work: () => Promise<void>): Promise<void> {
    const gone = { from: Date.now(), to: Infinity }
    this.away.push(gone)
    try {
      await work()
    } finally {
      gone.to = Date.now()
    }
  }

  private async another(): Promise<void> {
    this.workers.push(await startWorker({ consumers, parts: [applier] }))
  }

  /** A fresh one takes over from the one that ends. */
  restart = (): Promise<void> =>
    this.while(async () => {
      await this.workers.shift()?.stop()
      await this.another()
    })

  /** Two of them, of which the older one ends. */
  takeOver = (): Promise<void> =>
    this.while(async () => {
      await this.another()
      await this.workers.shift()?.stop()
    })

  /** Every connection to the database is cut, and no other is let in for a moment. One of those who act calls it. */
  cut = async (ms: number): Promise<void> => {
    this.acting--
    try {
      await (this.cutting ??= this.cutOff(ms).finally(() => (this.cutting = null)))
    } finally {
      this.acting++
    }
  }

  private cutOff = (ms: number): Promise<void> =>
    this.while(async () => {
      while (this.acting > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      const name = new URL(databaseUrl()).pathname.slice(1)
      const admin = new pg.Client({ connectionString: inject('testServer').url })
      await admin.connect()
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      try {
        await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
        await new Promise((resolve) => setTimeout(resolve, ms))
      } finally {
        await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
        await admin.end()
      }
      await until(
        'the database to answer',
        () =>
          db()
            .policy.count()
            .then(() => true),
        { ms: 30_000, every: 200 },
      )
    })

  /** What a worker calls an error while nothing was away. */
  private hear(): void {
    const say = (more: unknown, words?: string): void => {
      if (!this.wasAway(Date.now())) this.errors.push(`${words}: ${JSON.stringify(more, errorsToo)}`)
    }
    vi.spyOn(log, 'error').mockImplementation(say as typeof log.error)
  }

  async stop(): Promise<void> {
    await this.g.stop()
    for (const worker of this.workers) await worker.stop()
    await this.gate.stop()
    await closeUpdaters()
    await closeClients()
    await this.cluster.stop()
  }
}
