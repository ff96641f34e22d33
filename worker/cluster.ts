import type { Pool } from 'pg'
import { readDiscovery, writeClusterState, writeDiscovery } from '@/lib/db/read-model/cluster-state'
import { othersGone } from '@/lib/db/read-model/elsewhere'
import { StaleLease, type Fence } from '@/lib/db/read-model/fence'
import { joiningSince } from '@/lib/db/read-model/joining'
import { ownWorkload } from '@/lib/db/read-model/own-workload'
import { governedBy, latchesPools, markNeverJoined, type WatchedCluster } from '@/lib/db/read-model/watched'
import type { Capabilities } from '@/lib/domain/capabilities'
import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { keepKnown } from '@/lib/kubernetes/discovery/keep-known'
import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import { withSignal } from '@/lib/kubernetes/signal'
import { KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { JOIN_MINUTES } from '@/lib/providers/cluster-api'
import { connectedState, stateFrom, type ConnectionState } from './connection'
import { ConsumerRun } from './consumers'
import type { Log } from './log'
import { failures } from './metrics'
import { Projector } from './project'
import { planStreams } from './streams'
import type { ClusterView, Consumer } from './types'
import { Watching } from './watching'

export interface ClusterOptions {
  pool: Pool
  cluster: WatchedCluster
  fence: Fence
  consumers: Consumer[]
  clientFor(clusterId: string): Promise<KubeClient>
  discover(client: KubeClient, about: { latchesPools: boolean }): Promise<Capabilities>
  log: Log
  /** The lease is somebody else's: give the cluster up. */
  lost(): void
  /** Stop, and begin anew, with another client: what is there is to be listed once more. */
  anew(): void
  pageSize?: number
  intervalMs?: number
  /** How often the managers' feature gates are looked at. */
  gatesMs?: number
}

const HEARTBEAT_MS = 5000
const REPORT_MS = 1000
const DISCOVERY_MS = 120_000
const GATES_MS = 15_000
const POLICY_MS = 10_000
const OVERDUE_MS = 60_000
const OTHERS_MS = 2_000

/** One management cluster that this worker owns: connection, watches, rows, consumers. Never throws; says and repeats. */
export class ClusterRun {
  private readonly abort = new AbortController()
  private done: Promise<void> = Promise.resolve()
  private poked = new AbortController()
  private asked = new AbortController()

  constructor(private readonly options: ClusterOptions) {}

  start(): void {
    this.done = this.run()
  }

  /** Something was decided about the cluster (policy, registration): look again now. */
  poke(): void {
    this.poked.abort()
  }

  /** Somebody wants to know what Drydock may do there as it is now. */
  discoverNow(): void {
    this.asked.abort()
  }

  async stop(): Promise<void> {
    this.abort.abort()
    await this.done
  }

  private async run(): Promise<void> {
    const connected = await this.connect()
    if (!connected) return
    const { client, capabilities, joining, workload } = connected
    const { pool, cluster, fence, consumers, log, lost } = this.options
    const failed = (error: unknown) => this.failed(error, 'write')
    const projector = new Projector({
      pool,
      fence,
      joining,
      name: cluster.name,
      workload,
      intervalMs: this.options.intervalMs,
      lost,
      failed,
    })
    const view: ClusterView = {
      clusterId: cluster.id,
      name: cluster.name,
      workload,
      client,
      capabilities,
      fence: fence.fence,
      objects: (resource) => projector.objects(resource),
      heard: (resource) => watching.heard(resource),
      heardNow: (resource) => watching.heardNow(resource),
      silent: () => watching.silent(),
      oldestNode: () => projector.oldestNode(),
      oldestMachines: () => projector.oldestMachines(),
    }
    const runs = consumers.map((consumer) => new ConsumerRun(consumer, view, () => projector.flushed(), log))
    const watching: Watching = new Watching({
      pool,
      fence,
      name: cluster.name,
      client,
      projector,
      pageSize: this.options.pageSize,
      changed: (change) => runs.forEach((run) => run.take(change)),
      ready: () => runs.forEach((run) => run.begin(watching.served, watching.ready)),
      failed,
    })
    try {
      await this.watch(view, projector, watching, runs)
    } finally {
      runs.forEach((run) => run.stop())
      projector.stop()
      await watching.stop()
    }
  }

  /** Until discovery has answered there is nothing to watch. */
  private async connect(): Promise<
    | { client: KubeClient; capabilities: Capabilities; joining: Map<string, number>; workload: string | null }
    | undefined
  > {
    const { cluster, clientFor, pool, fence } = this.options
    for (let attempt = 0; !this.abort.signal.aborted; attempt++) {
      try {
        const client = await clientFor(cluster.id)
        const capabilities = await this.discover(client, await readDiscovery(pool, cluster.id))
        await this.attempt('write', () => writeDiscovery(pool, fence, capabilities))
        const [joining, workload] = [await joiningSince(pool, cluster.id), await ownWorkload(pool, cluster.id)]
        return { client, capabilities, joining, workload }
      } catch (error) {
        if (this.abort.signal.aborted) break
        this.failed(error, 'connect')
        await this.say(stateFrom(error))
        await pause(backoffDelay(attempt, { floorMs: 1000, capMs: 15_000 }), this.abort.signal, this.poked.signal)
        this.poked = new AbortController()
      }
    }
    return undefined
  }

  /** Ends at once when the cluster is given up; what was found by then is not the whole, and counts for nothing. */
  private async discover(client: KubeClient, before: Capabilities | null): Promise<Capabilities> {
    const { signal } = this.abort
    const { pool, cluster, discover } = this.options
    const found = await discover(withSignal(client, signal), { latchesPools: await latchesPools(pool, cluster.id) })
    signal.throwIfAborted()
    return keepKnown(found, before)
  }

  private async watch(view: ClusterView, projector: Projector, watching: Watching, runs: ConsumerRun[]): Promise<void> {
    const { pool, cluster, fence } = this.options
    const follow = async () => {
      await watching.follow(planStreams(view.capabilities))
      runs.forEach((run) => run.begin(watching.served, watching.ready))
    }
    const policy = async () => projector.setPolicy(await governedBy(pool, cluster.id))
    // Whether a group is governed is never guessed: nothing is followed before that was read once.
    if (!(await this.untilDone('policy', policy))) return
    await follow()
    const rediscover = async () => {
      const found = await this.discover(view.client, view.capabilities)
      await writeDiscovery(pool, fence, found)
      view.capabilities = found
      await follow()
    }
    view.rediscover = rediscover
    let misses = 0
    const heartbeat = async () => {
      const state = await this.heartbeat(view.client)
      if (state) {
        // One miss may be a hiccup; the watches go on by themselves.
        if (state.state === 'unauthorised' || ++misses > 1) await this.say(state)
        return
      }
      if (misses > 0) watching.wake()
      misses = 0
      const unauthorised = watching.unauthorised()
      await this.say(
        unauthorised ? { state: 'unauthorised', message: unauthorised } : connectedState(watching.refused()),
      )
    }
    await Promise.all([
      this.every(REPORT_MS, 'streams', () => watching.report()),
      this.every(HEARTBEAT_MS, 'heartbeat', heartbeat),
      this.every(POLICY_MS, 'policy', policy, 'poked'),
      this.every(OVERDUE_MS, 'overdue', async () => void (await markNeverJoined(pool, cluster.id, JOIN_MINUTES))),
      this.every(DISCOVERY_MS, 'discovery', rediscover, 'asked'),
      this.every(OTHERS_MS, 'objects of others', async () => {
        if (await othersGone(pool, fence)) this.options.anew()
      }),
      // Whoever switched in-place updates on, as the pages ask for, does not wait for the whole to be looked at.
      this.every(this.options.gatesMs ?? GATES_MS, 'gates', async () => {
        if (await gatesChanged(view)) await rediscover()
      }),
    ])
  }

  private async heartbeat(client: KubeClient): Promise<ConnectionState | undefined> {
    try {
      await client.raw('/version', { timeoutMs: 4000, signal: this.abort.signal })
      return undefined
    } catch (error) {
      // Whoever closed it (new credentials, a disconnect in this process): it never answers again.
      if (error instanceof KubeUnreachable && error.closed) this.options.anew()
      return stateFrom(error)
    }
  }

  private async say({ state, message }: ConnectionState): Promise<void> {
    if (this.abort.signal.aborted) return
    await this.attempt('state', () => writeClusterState(this.options.pool, this.options.fence, state, message))
  }

  /** Repeats something until the cluster is given up; `by`: at once when something was decided, or is asked for. */
  private async every(ms: number, what: string, work: () => Promise<void>, by?: 'poked' | 'asked'): Promise<void> {
    const wait = async () => {
      const signals = by ? [this.abort.signal, this[by].signal] : [this.abort.signal]
      const whole = await pause(ms, ...signals)
      if (!whole && by) this[by] = new AbortController()
    }
    if (['discovery', 'gates', 'overdue'].includes(what)) await wait()
    while (!this.abort.signal.aborted) {
      await this.attempt(what, work)
      await wait()
    }
  }

  /** Until it was done once; false: the cluster was given up before. */
  private async untilDone(what: string, work: () => Promise<void>): Promise<boolean> {
    const { signal } = this.abort
    for (let attempt = 0; !signal.aborted; attempt++) {
      if (await this.attempt(what, work)) return !signal.aborted
      await pause(backoffDelay(attempt, { floorMs: 500, capMs: 5_000 }), signal)
    }
    return false
  }

  /** Whether it was done. */
  private async attempt(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (this.abort.signal.aborted) return false
      if (error instanceof StaleLease) this.options.lost()
      this.failed(error, what)
      return false
    }
  }

  private failed(error: unknown, what: string): void {
    const { cluster, log } = this.options
    failures.inc({ cluster: cluster.name, what })
    log.warn({ err: error, cluster: cluster.name, what }, 'failed; it will be repeated')
  }
}

/** The managers' feature gates are not what they were: two reads, where discovery is dozens. */
async function gatesChanged({ client, capabilities }: ClusterView): Promise<boolean> {
  if (!capabilities.clusterApi) return false
  const { gates } = await discoverGates(client, capabilities)
  return JSON.stringify(gates) !== JSON.stringify(capabilities.gates)
}
