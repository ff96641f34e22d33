import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { db } from '@/lib/db/client'
import { rbacManifest, type Part } from '@/lib/domain/access/manifest'
import { isHeld } from '@/lib/domain/latch/hold'
import type { JsonObject } from '@/lib/domain/json'
import type { PolicySpec } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { savePolicy } from '@/lib/services/policies/save-policy'
import type { Ctx } from '@/lib/services/context'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { as } from './deciding'
import { calendarConsumer } from '@/worker/calendar'
import { latchWatchConsumer } from '@/worker/latch-watch'
import { plannerConsumer } from '@/worker/planner'
import { startWorker, type Worker } from '@/worker/worker'
import { poolsConsumer } from '@/worker/pools'
import { poolsHeardConsumer } from '@/worker/pools/heard'

const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const CONFIGS = 'machineconfigs.machineconfiguration.openshift.io'
const OS_CONFIGS = 'machineosconfigs.machineconfiguration.openshift.io'
const PREFIX = 'machineconfiguration.openshift.io/'
type Rule = ReturnType<typeof rulesFromManifests>[number]
const lacking = (rule: Rule, without: readonly string[]): Rule => ({
  ...rule,
  resources: rule.resources?.filter((of) => !without.includes(of)),
})
const OPERATOR = { user: 'mco', groups: ['system:masters'], fieldManager: 'machine-config-controller' }
export const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }

export const follow = (): Promise<Worker> =>
  startWorker({
    consumers: [latchWatchConsumer, plannerConsumer, calendarConsumer, poolsConsumer, poolsHeardConsumer],
    ...{ parts: [], intervalMs: 20, tickMs: 100, log: pino({ level: 'silent' }) },
  })

export async function until<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false>,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  const changes = await db().change.findMany({ select: { groupName: true, state: true, stuckReason: true } })
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify(changes)}`)
}

/** A simulated OpenShift cluster (`mixed`: with Cluster API as well, and these rights) with the pools master, worker and gpu (which somebody paused long ago). */
export class GovernedPools {
  clusterId = ''
  private constructor(
    readonly name: string,
    readonly server: RunningApiServer,
    private readonly controllers: { stop(): Promise<void> },
    private readonly rules: Rule[],
  ) {}

  static async start(
    name: string,
    speed = 60,
    mixed: Part[] | null = null,
    without: string[] = [],
  ): Promise<GovernedPools> {
    const rules = rulesFromManifests(rbacManifest(mixed ?? ['openshift', 'openshift-write', 'openshift-latch'])).map(
      (rule) => lacking(rule, without),
    )
    const server = await startApiServer({
      ...{ version: 'v1.35.4', families: mixed ? ['cluster-api', 'openshift'] : ['openshift'], mutatingPolicies: null },
      resources: openShiftResources(),
      objects: openShiftFleet({ name, machines: 14 }),
      users: { drydock: rules },
    })
    const options = { speed, life: false, pools: true, onError: (error: unknown) => console.error(error) }
    const pools = new GovernedPools(name, server, startOpenShiftControllers(server.store, options), rules)
    const { kubeconfig } = server.users.drydock!
    pools.clusterId = (await addCluster(as('admin'), { name, kubeconfig })).clusterId
    return pools
  }

  async stop(): Promise<void> {
    this.server.faults.fail(0)
    await this.controllers.stop()
    await this.server.stop()
  }

  /** It may read what it was started without. */
  allow(): void {
    const rules = rulesFromManifests(rbacManifest(['openshift', 'openshift-write', 'openshift-latch']))
    this.rules.splice(0, this.rules.length, ...rules)
  }

  /** It may not read these any more; what it reads by now it reads on. */
  forbid(...resources: string[]): void {
    this.rules.splice(0, this.rules.length, ...this.rules.map((rule) => lacking(rule, resources)))
  }

  /** Drydock may not read what is built any more, and its watch of that ends. */
  forbidImages(): void {
    this.forbid('machineosconfigs')
    this.server.register(this.server.resource(OS_CONFIGS))
  }

  /** The same of pools. */
  forbidPools(): void {
    this.forbid('machineconfigpools')
    this.server.register(this.server.resource(POOLS))
  }

  /** Every row that says what is governed is there, and each pool was looked at. */
  async governed(watched = false): Promise<void> {
    const where = { clusterId: this.clusterId, kind: 'MachineConfigPool', governed: true }
    const known = watched ? { ...where, watched: { not: null } } : { ...where, letGo: { not: null } }
    await until('pools to be governed', async () => (await db().group.count({ where })) === 2)
    await until('the pool to be known', () => db().group.findFirst({ where: { ...known, name: 'worker' } }))
    await until(
      'its nodes',
      async () => (await db().configNode.count({ where: { clusterId: this.clusterId, pool: 'worker' } })) > 3,
    )
  }

  pool = (name = 'worker') => this.server.store.get(POOLS, name)!
  isHeld = (name = 'worker'): boolean => isHeld({ ...this.pool(name), kind: 'MachineConfigPool' })
  nodes = () =>
    this.server.store.list('nodes').filter(({ metadata: { labels = {} } }) => {
      return 'node-role.kubernetes.io/worker' in labels && !('node-role.kubernetes.io/gpu' in labels)
    })
  /** Nodes that were told to take this config up. */
  told = (config: string) =>
    this.nodes().filter(({ metadata }) => metadata.annotations?.[`${PREFIX}desiredConfig`] === config)

  /** As the operator renders another config of what the pool has, with one more file. */
  async render(config: string, pool = 'worker', file = config, release = '4.22.4', at = '/etc/motd'): Promise<void> {
    const now = (this.pool(pool).spec?.configuration as { name: string }).name
    const spec = structuredClone(this.server.store.get(CONFIGS, now)!.spec ?? {}) as { config?: JsonObject }
    const storage = (spec.config?.storage ?? {}) as { files?: JsonObject[] }
    const contents = { source: `data:,${encodeURIComponent(file)}` }
    storage.files = [...(storage.files ?? []).filter(({ path }) => path !== at), { path: at, contents }]
    spec.config = { ...spec.config, storage: storage as JsonObject }
    const metadata = { name: config, annotations: { [`${PREFIX}release-image-version`]: release } }
    const body = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata,
      spec: spec as JsonObject,
    }
    await this.server.store.create(CONFIGS, body, OPERATOR)
    await this.point(config, pool)
  }

  /** As the build controller says that an OS image was built for a pool; null: it is to be, and is not there yet. */
  async build(image: string | null, pool = 'worker'): Promise<void> {
    const status: JsonObject = image === null ? {} : { currentImagePullSpec: image }
    if (!this.server.store.get(OS_CONFIGS, pool)) {
      const about = {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineOSConfig',
        metadata: { name: pool },
      }
      await this.server.store.create(OS_CONFIGS, { ...about, spec: { machineConfigPool: { name: pool } } }, OPERATOR)
    }
    await this.server.store.merge(OS_CONFIGS, pool, { status }, OPERATOR, 'status')
  }
  /** Nodes that were told to take this OS image. */
  toldImage = (image: string) =>
    this.nodes().filter(({ metadata }) => metadata.annotations?.[`${PREFIX}desiredImage`] === image)

  point = (config: string, pool = 'worker') =>
    this.server.store.merge(POOLS, pool, { spec: { configuration: { name: config } } }, OPERATOR)
  write = (pool: string, body: JsonObject, by = SOMEBODY) => this.server.store.merge(POOLS, pool, body, by)
  annotate = (node: string, key: string, value: string | null) =>
    this.server.store.merge('nodes', node, { metadata: { annotations: { [key]: value } } }, SOMEBODY)

  /** The newest change of a pool, when it is in this state. */
  change = (state: string, name = 'worker', seconds = 60) =>
    until(
      `${name} of ${this.name} to be ${state}`,
      async () => {
        const newest = await db().change.findFirst({
          where: { clusterId: this.clusterId, groupName: name },
          orderBy: { detectedAt: 'desc' },
        })
        return newest?.state === state ? newest : null
      },
      seconds,
    )

  /** That is about this config, and waits. */
  waits = (config: string, name = 'worker') =>
    until(`${config} to wait`, async () => {
      const found = await db().change.findFirst({
        where: { clusterId: this.clusterId, groupName: name, state: 'waiting' },
        orderBy: { detectedAt: 'desc' },
      })
      return JSON.stringify(found?.outlook ?? '').includes(config) ? found : null
    })

  async approve(change: { id: string; fingerprint: string }, by: Ctx = as('approver'), reason?: string) {
    const { id: changeId, fingerprint } = change
    return approveChange(by, { changeId, fingerprint, mode: 'in-place', ...(reason ? { reason } : {}) })
  }
}

/** A policy for pools of these clusters; lifted by deleting it. */
export const policy = (rules: Omit<PolicySpec, 'select'>, clusters?: string[]) =>
  savePolicy(as('admin'), {
    name: `p-${randomUUID()}`,
    spec: { select: { kinds: ['MachineConfigPool'], ...(clusters ? { clusters } : {}) }, ...rules },
  })
