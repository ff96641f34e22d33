import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { db } from '@/lib/db/client'
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

const consumers = [registrationConsumer, askedConsumer, plannerConsumer, calendarConsumer, scalingConsumer]
const applier: Part = { name: 'applier', start: (context) => Promise.resolve(startApplier(context)) }

const errorsToo = (_: string, value: unknown) => (value instanceof Error ? value.stack : value)

/** Not so fast that a rollout is over before anybody can say something of it. */
const SPEED = 4

/** How often it is looked at whether the machine keeps up, and what of a delay is nothing. */
const BEAT_MS = 250
const KEEPS_UP_MS = 500

/** What all walks of a process share: the simulated management cluster, the gate, the workers, and what happens to these. */
export class World {
  readonly errors: string[] = []
  /** Machines whose updates fail, and who is told so. */
  readonly failing = new Set<string>()
  readonly onFailure = new Set<(machine: string) => void>()
  private readonly away: { from: number; to: number }[] = []
  /** When this process or its database did not keep up. */
  private readonly late: { from: number; to: number }[] = []
  private readonly workers: Worker[] = []
  private beats = true

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
    void world.beat()
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
    const late = this.late.filter(({ from, to }) => from <= at && to + 8_000 >= at)
    return (near.length > 0 ? 15_000 : 0) + Math.min(8_000, 2 * Math.max(0, ...late.map(({ from, to }) => to - from)))
  }

  /** Nothing of it was away lately. */
  isCalm = (): boolean => this.away.every(({ to }) => to < Date.now() - 120_000)

  wasAway = (at: number): boolean => this.later(at) >= 15_000

  private async beat(): Promise<void> {
    while (this.beats) {
      const from = Date.now()
      await sleep(BEAT_MS)
      await db().$queryRaw`SELECT 1`.catch(() => {})
      if (Date.now() - from > BEAT_MS + KEEPS_UP_MS) this.late.push({ from, to: Date.now() })
    }
  }

  private async another(): Promise<void> {
    this.workers.push(await startWorker({ consumers, parts: [applier] }))
  }

  /** A fresh one takes over from the one that ends. */
  restart = async (): Promise<void> => {
    const gone = { from: Date.now(), to: Infinity }
    this.away.push(gone)
    await this.workers.shift()?.stop()
    await this.another()
    gone.to = Date.now()
  }

  /** What a worker calls an error while nothing was away. */
  private hear(): void {
    const say = (more: unknown, words?: string): void => {
      if (!this.wasAway(Date.now())) this.errors.push(`${words}: ${JSON.stringify(more, errorsToo)}`)
    }
    vi.spyOn(log, 'error').mockImplementation(say as typeof log.error)
  }

  async stop(): Promise<void> {
    this.beats = false
    await this.g.stop()
    for (const worker of this.workers) await worker.stop()
    await this.gate.stop()
    await closeUpdaters()
    await closeClients()
    await this.cluster.stop()
  }
}
