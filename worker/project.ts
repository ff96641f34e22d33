import type { Pool } from 'pg'
import { pruneAfterList, writeBatch, type Batch, type Complete } from '@/lib/db/read-model/batch'
import { StaleLease, type Fence } from '@/lib/db/read-model/fence'
import type { Governs } from '@/lib/db/read-model/watched'
import type { HealthCheckRow, MachineRow, ProjectedGroup, WorkloadClusterRow } from '@/lib/domain/rows'
import type { OldestNode } from '@/lib/domain/skew/oldest-node'
import { objectKey, parseResource } from '@/lib/kubernetes/paths'
import type { KubeObject } from '@/lib/kubernetes/types'
import { clusterApiRows } from '@/lib/providers/cluster-api'
import { slimNode } from '@/lib/providers/openshift/config-nodes'
import { OPENSHIFT_RESOURCES } from '@/lib/providers/openshift/rows'
import type { ProjectionContext, Rows } from '@/lib/providers/rows'
import { Coalescer } from './coalesce'
import { asItWas, governedSoFar } from './governed'
import { batchSeconds, failures, rowsPending, rowsWritten } from './metrics'
import { asTheGateKnows } from './not-called'
import { OpenShiftProjection } from './project-openshift'
import { UnknownErrors } from './unknown-errors'

type Row = MachineRow | ProjectedGroup | WorkloadClusterRow | HealthCheckRow
type Part = Complete['table']
interface Entry {
  part: Part
  /** null: the row goes */
  row: Row | null
  id: string
  heardAt: number
}

export interface ProjectorOptions {
  pool: Pool
  fence: Fence
  name: string
  /** OpenShift: the name that its own cluster had until now. */
  workload?: string | null
  intervalMs?: number
  /** When machines of OpenShift were first seen with an instance and without a node, in ms by uid. */
  joining?: Map<string, number>
  /** How often machines that are on their way are looked at again. */
  againMs?: number
  /** At least this long between two writes of errors that nobody knows. */
  unknownMs?: number
  /** Another worker owns the cluster now. */
  lost(): void
  failed(error: unknown): void
}

const NAMESPACES = 'namespaces'
const BATCH = 1000
const HIGH = 4000
const AGAIN_MS = 30_000
/** What a complete list is the whole truth about. */
const TRUTH: Record<string, Omit<Complete, 'keep' | 'resource'>> = {
  'clusters.cluster.x-k8s.io': { table: 'workloadClusters', only: { provider: 'cluster-api' } },
  'machinehealthchecks.cluster.x-k8s.io': { table: 'healthChecks', only: {} },
  'machines.cluster.x-k8s.io': { table: 'machines', only: { provider: 'cluster.x-k8s.io' } },
  'machines.machine.openshift.io': { table: 'machines', only: { provider: 'machine.openshift.io' } },
}
const KINDS: Record<string, string> = {
  machinedeployments: 'MachineDeployment',
  machinesets: 'MachineSet',
  machinepools: 'MachinePool',
  kubeadmcontrolplanes: 'KubeadmControlPlane',
  controlplanemachinesets: 'ControlPlaneMachineSet',
  machineconfigpools: 'MachineConfigPool',
}
const GROUP_RESOURCES =
  /^(machinedeployments|machinesets|machinepools|controlplanemachinesets|kubeadmcontrolplanes|machineconfigpools)\./

/** Objects of one cluster to rows: keeps what others follow, projects the rest, writes in batches of the newest state. */
export class Projector {
  private readonly caches = new Map<string, Map<string, KubeObject>>()
  private readonly rows: Coalescer<Entry>
  private readonly alone = new Set<string>()
  private readonly openshift: OpenShiftProjection
  private readonly unknown: UnknownErrors
  private readonly clock: NodeJS.Timeout
  private turn: Promise<unknown> = Promise.resolve()
  /** Null: it was not read yet. */
  private policy: Governs | null = null
  /** Namespaces have all been listed. */
  private inNamespaces = false
  private readonly context: ProjectionContext = {
    find: (resource, key) => this.caches.get(resource)?.get(key),
    governed: (group) =>
      governedSoFar(this.policy, group, {
        namespace: this.caches.get(NAMESPACES)?.get(group.metadata.namespace ?? ''),
        all: this.inNamespaces,
      }),
    now: 0,
  }

  constructor(private readonly options: ProjectorOptions) {
    const { clusterId } = options.fence
    this.openshift = new OpenShiftProjection(
      clusterId,
      options.workload ?? options.name,
      this.context,
      options.joining ?? new Map(),
    )
    this.clock = setInterval(() => {
      for (const rows of this.openshift.again()) this.put(rows, Date.now())
    }, options.againMs ?? AGAIN_MS).unref()
    this.unknown = new UnknownErrors({
      pool: options.pool,
      clusterId,
      ...(options.unknownMs ? { intervalMs: options.unknownMs } : {}),
      failed: () => failures.inc({ cluster: options.name, what: 'unknown errors' }),
    })
    this.rows = new Coalescer({
      intervalMs: options.intervalMs ?? 100,
      max: BATCH,
      flush: (batch) => this.flush(batch),
      merge: (waiting, newer) => ({ ...newer, heardAt: waiting.heardAt }),
      failed: (error) => {
        failures.inc({ cluster: options.name, what: 'write' })
        if (error instanceof StaleLease) options.lost()
        else options.failed(error)
        return error instanceof StaleLease
      },
    })
  }

  objects(resource: string): ReadonlyMap<string, KubeObject> {
    return this.cache(resource)
  }

  oldestNode(): OldestNode | null {
    return this.openshift.oldestNode()
  }

  oldestMachines(): ReadonlyMap<string, number> {
    return this.openshift.oldestMachines()
  }

  upsert(resource: string, keep: boolean, object: KubeObject, heardAt: number): void | Promise<void> {
    const key = objectKey(object)
    if (keep) this.cache(resource).set(key, object)
    // Of nodes only what their pools are told by.
    else if (resource === 'nodes') this.cache(resource).set(key, slimNode(object))
    const rows = this.project(resource, key, object)
    this.put(rows, heardAt)
    if (resource === 'machinesets.cluster.x-k8s.io') this.adopted(rows, object.metadata.uid, heardAt)
    if (resource === OPENSHIFT_RESOURCES.infrastructures) this.renamed(heardAt)
    if (resource === NAMESPACES && this.policy?.governs === 'namespace-label') this.projectGroups(key, heardAt)
    return this.rows.room(HIGH)
  }

  remove(resource: string, key: string, uid: string, heardAt: number): void {
    this.openshift.remove(resource, key)
    const cache = this.caches.get(resource)
    if (cache?.get(key)?.metadata.uid === uid) cache.delete(key)
    const part = partOf(resource)
    if (part === 'machines') this.unknown.forget(uid)
    if (part) this.rows.set(`${part}/${uid}`, { part, row: null, id: uid, heardAt })
  }

  /** Errors that nobody knows are counted for themselves. */
  counted(): Promise<void> {
    return this.unknown.flushed()
  }

  /** Rows of everything that was heard before are in the database. */
  flushed(): Promise<void> {
    return this.rows.flushed()
  }

  /** After a complete list: rows of what was deleted before this worker watched. */
  async prune(resource: string, uids: () => string[]): Promise<void> {
    const { pool, fence } = this.options
    const { plural, group: apiGroup } = parseResource(resource, '')
    const kind = KINDS[plural]
    const truth = TRUTH[resource] ?? (kind && { table: 'groups' as const, only: { kind, apiGroup } })
    if (resource === NAMESPACES) this.namespacesListed()
    await this.flushed()
    // Asked for only now, with no batch on its way: what came while the rows were written is kept, too.
    if (truth) await this.inTurn(() => pruneAfterList(pool, fence, { ...truth, resource, keep: uids() }))
  }

  setPolicy(policy: Governs): void {
    if (JSON.stringify(policy) === JSON.stringify(this.policy)) return
    this.policy = policy
    this.projectGroups(undefined, Date.now())
  }

  stop(): void {
    clearInterval(this.clock)
    this.rows.stop()
    this.unknown.stop()
    // What is kept stays for whoever is at work with it: a plan that found no machine sets would take them for gone.
  }

  private cache(resource: string): Map<string, KubeObject> {
    let cache = this.caches.get(resource)
    if (!cache) this.caches.set(resource, (cache = new Map()))
    return cache
  }

  private project(resource: string, key: string, object: KubeObject): Rows {
    const known = clusterApiRows[resource]
    if (!known) return this.openshift.upsert(resource, key, object) ?? {}
    this.context.now = Date.now()
    return known(object, this.context)
  }

  /** Groups and machines are of a workload cluster by its name. */
  private renamed(heardAt: number): void {
    const machines = this.openshift.renamed()
    if (!machines) return
    this.projectGroups(undefined, heardAt)
    for (const rows of machines) this.put(rows, heardAt)
  }

  /** Who is governed by a label of its namespace is known of all from here on. */
  private namespacesListed(): void {
    this.inNamespaces = true
    if (this.policy?.governs === 'namespace-label') this.projectGroups(undefined, Date.now())
  }

  private projectGroups(namespace: string | undefined, heardAt: number): void {
    for (const [resource, cache] of this.caches) {
      if (!GROUP_RESOURCES.test(resource)) continue
      for (const [key, object] of cache) {
        if (namespace && object.metadata.namespace !== namespace) continue
        this.put(this.project(resource, key, object), heardAt)
      }
    }
  }

  private put({ machine, unknown, group, workloadCluster, healthCheck }: Rows, heardAt: number): void {
    if (machine) {
      this.set('machines', machine, heardAt)
      this.unknown.note(machine, unknown)
    }
    if (group) this.set('groups', group, heardAt)
    if (workloadCluster) this.set('workloadClusters', workloadCluster, heardAt)
    if (healthCheck) this.set('healthChecks', healthCheck, heardAt)
  }

  private set(part: Part, row: Row, heardAt: number): void {
    this.rows.set(`${part}/${row.id}`, { part, row, id: row.id, heardAt })
  }

  /** A MachineSet that stood alone and belongs to a MachineDeployment now is no group any more. */
  private adopted({ group }: Rows, uid: string, heardAt: number): void {
    if (group) this.alone.add(uid)
    else if (this.alone.delete(uid)) this.rows.set(`groups/${uid}`, { part: 'groups', row: null, id: uid, heardAt })
  }

  /** Writes of rows, one at a time. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done.catch(() => undefined)
    return done
  }

  private async flush(entries: Map<string, Entry>): Promise<void> {
    const { pool, fence, name } = this.options
    const part = <R extends Row>(which: Part) => {
      const mine = [...entries.values()].filter((entry) => entry.part === which)
      const upsert = mine.flatMap((entry) => (entry.row ? [entry.row as R] : []))
      return { upsert, remove: mine.filter((entry) => !entry.row).map((entry) => entry.id) }
    }
    const groups = part<ProjectedGroup>('groups')
    const batch: Batch = {
      machines: part<MachineRow>('machines'),
      groups: { upsert: [], remove: groups.remove },
      workloadClusters: part<WorkloadClusterRow>('workloadClusters'),
      healthChecks: part<HealthCheckRow>('healthChecks'),
      heardAt: [...entries.values()].reduce((first, { heardAt }) => Math.min(first, heardAt), Infinity),
    }
    const done = batchSeconds.startTimer({ cluster: name })
    const written = await this.inTurn(async () => {
      batch.machines.upsert = await asTheGateKnows(pool, fence.clusterId, batch.machines.upsert)
      batch.groups.upsert = await asItWas(pool, fence.clusterId, groups.upsert)
      return writeBatch(pool, fence, batch)
    })
    rowsWritten.inc({ cluster: name }, written)
    done()
    rowsPending.set({ cluster: name }, this.rows.size)
  }
}

function partOf(resource: string): Part | undefined {
  if (resource.startsWith('machines.')) return 'machines'
  if (resource === 'clusters.cluster.x-k8s.io') return 'workloadClusters'
  if (resource === 'machinehealthchecks.cluster.x-k8s.io') return 'healthChecks'
  return GROUP_RESOURCES.test(resource) ? 'groups' : undefined
}
