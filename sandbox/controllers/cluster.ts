import { condition, conditionOf, indented, setConditions, type Wanted } from './conditions'
import { AS, heldByPause, NOT_PAUSED, writeStatus, type Env } from './env'
import { keyOf, type Cluster, type ControlPlane, type Counters, type Machine, type MachineDeployment } from './kinds'
import { CLUSTERS, CONTROL_PLANES, DEV_CLUSTERS, LABEL, MACHINES, MACHINE_DEPLOYMENTS } from './names'
import { machinesReady, machinesUpToDate, deletingCondition } from './summaries'
import type { HookAnswers } from './lifecycle'
import { reconcileTopology } from './topology'

interface WithConditions {
  metadata: { name: string }
  status?: {
    conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[]
  }
}

export class ClusterController {
  private readonly answers: HookAnswers = new Map()

  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const cluster = env.store.get(CLUSTERS, key) as unknown as Cluster | undefined
    if (!cluster) return undefined
    const { name, namespace } = cluster.metadata
    if (await heldByPause(env, CLUSTERS, cluster, name, AS.core)) return undefined
    if (cluster.metadata.deletionTimestamp) return this.remove(cluster)
    const topology = await reconcileTopology(env, cluster, this.answers)
    await this.prepare(key)
    const now = env.store.get(CLUSTERS, key) as unknown as Cluster
    const { controlPlaneRef } = now.spec
    const controlPlane = controlPlaneRef
      ? (env.store.get(CONTROL_PLANES, `${namespace}/${controlPlaneRef.name}`) as unknown as ControlPlane | undefined)
      : undefined
    await writeStatus(
      env,
      CLUSTERS,
      now,
      this.status(now, controlPlane, topology?.conditions, topology?.plans),
      AS.core,
    )
    return topology?.again
  }

  /** Infrastructure of the simulated cluster is there at once; everything of the cluster is owned by it. */
  private async prepare(key: string) {
    const { store, cache } = this.env
    const cluster = store.get(CLUSTERS, key) as unknown as Cluster
    const { name, namespace, uid } = cluster.metadata
    const owner = { apiVersion: cluster.apiVersion, kind: 'Cluster', name, uid }
    const own = async (resource: string, object: { metadata: Machine['metadata'] } | undefined) => {
      if (!object || object.metadata.ownerReferences?.some((ref) => ref.uid === uid)) return
      const ownerReferences = [...(object.metadata.ownerReferences ?? []), owner]
      const patch = { metadata: { ownerReferences, labels: { [LABEL.cluster]: name } } }
      await store.merge(resource, keyOf(object), JSON.parse(JSON.stringify(patch)), AS.core)
    }
    const infrastructure = cluster.spec.infrastructureRef && `${namespace}/${cluster.spec.infrastructureRef.name}`
    const devCluster = infrastructure ? store.get(DEV_CLUSTERS, infrastructure) : undefined
    if (infrastructure && devCluster) {
      await own(DEV_CLUSTERS, devCluster)
      const endpoint = cluster.spec.controlPlaneEndpoint ?? { host: '127.0.0.1', port: 20000 }
      if (!devCluster.status?.initialization) {
        await store.merge(DEV_CLUSTERS, infrastructure, { spec: { controlPlaneEndpoint: endpoint } }, AS.infrastructure)
        const conditions = setConditions(undefined, [NOT_PAUSED], devCluster.metadata.generation)
        await store.merge(
          DEV_CLUSTERS,
          infrastructure,
          { status: { conditions, initialization: { provisioned: true } } },
          AS.infrastructure,
          'status',
        )
      }
      if (!cluster.spec.controlPlaneEndpoint)
        await store.merge(CLUSTERS, key, { spec: { controlPlaneEndpoint: endpoint } }, AS.core)
    }
    const { controlPlaneRef } = cluster.spec
    if (controlPlaneRef) await own(CONTROL_PLANES, store.get(CONTROL_PLANES, `${namespace}/${controlPlaneRef.name}`))
    for (const md of cache.inCluster<MachineDeployment>(MACHINE_DEPLOYMENTS, namespace, name)) {
      const { name: mdName } = md.metadata
      const selector = { [LABEL.cluster]: name, [LABEL.deployment]: mdName }
      if (md.spec.template.metadata?.labels?.[LABEL.deployment] !== mdName) {
        const spec = { selector: { matchLabels: selector }, template: { metadata: { labels: selector } } }
        await store.merge(MACHINE_DEPLOYMENTS, keyOf(md), { spec }, AS.core)
      }
      await own(MACHINE_DEPLOYMENTS, store.get(MACHINE_DEPLOYMENTS, keyOf(md)))
    }
    if (!cluster.metadata.finalizers?.length) {
      await store.merge(CLUSTERS, key, { metadata: { finalizers: ['cluster.cluster.x-k8s.io'] } }, AS.core)
    }
  }

  private async remove(cluster: Cluster): Promise<undefined> {
    const { store, cache } = this.env
    const { name, namespace } = cluster.metadata
    const workers = cache.inCluster<MachineDeployment>(MACHINE_DEPLOYMENTS, namespace, name)
    for (const md of workers) {
      if (!md.metadata.deletionTimestamp) await store.delete(MACHINE_DEPLOYMENTS, keyOf(md), AS.core)
    }
    if (workers.length > 0) return
    const controlPlane = cache.controlPlane(namespace, name)
    if (controlPlane) {
      if (!controlPlane.metadata.deletionTimestamp) await store.delete(CONTROL_PLANES, keyOf(controlPlane), AS.core)
      return
    }
    const infrastructure = cluster.spec.infrastructureRef && `${namespace}/${cluster.spec.infrastructureRef.name}`
    if (infrastructure && store.get(DEV_CLUSTERS, infrastructure))
      await store.delete(DEV_CLUSTERS, infrastructure, AS.core)
    await store.merge(CLUSTERS, keyOf(cluster), { metadata: { finalizers: null } }, AS.core)
  }

  private status(
    cluster: Cluster,
    controlPlane: ControlPlane | undefined,
    topology: Wanted[] = [],
    plans?: { version: string }[],
  ) {
    const { cache } = this.env
    const { name, namespace, generation } = cluster.metadata
    const machines = cache.inCluster<Machine>(MACHINES, namespace, name)
    const isControlPlane = (m: Machine) => m.metadata.labels?.[LABEL.controlPlane] !== undefined
    const deployments = cache.inCluster<MachineDeployment>(MACHINE_DEPLOYMENTS, namespace, name)
    const provisioned = cluster.spec.infrastructureRef !== undefined && cluster.spec.controlPlaneEndpoint !== undefined
    const initialized = controlPlane?.status?.initialization?.controlPlaneInitialized === true
    const parts: [string, WithConditions[]][] = [
      ['KubeadmControlPlane', controlPlane ? [controlPlane] : []],
      ['MachineDeployment', deployments],
    ]
    const any = (type: string, yes: string, no: string): Wanted => {
      const lines = parts.flatMap(([kind, objects]) =>
        objects.flatMap((o) => {
          const c = conditionOf(o, type)
          return c?.status === 'True' ? [`* ${kind} ${o.metadata.name}:\n${indented(bulleted(c.message))}`] : []
        }),
      )
      return lines.length > 0 ? condition(type, true, yes, lines.join('\n')) : condition(type, false, no)
    }
    const controlPlaneAvailable = conditionOf(controlPlane, 'Available')?.status === 'True'
    const down = deployments.filter((md) => conditionOf(md, 'Available')?.status !== 'True')
    const workersMessage = down
      .map(
        (md) =>
          `* MachineDeployment ${md.metadata.name}:\n${indented(`* ${conditionOf(md, 'Available')?.message ?? 'Condition Available not yet reported'}`)}`,
      )
      .join('\n')
    const workers =
      down.length === 0
        ? condition('WorkersAvailable', true, 'Available')
        : condition('WorkersAvailable', false, 'NotAvailable', workersMessage)
    const upgrading = topology.find((c) => c.reason === 'ClusterUpgrading')
    const missing = [
      ...(controlPlaneAvailable ? [] : ['* ControlPlaneAvailable: Control plane is not available']),
      ...(down.length === 0 ? [] : [`* WorkersAvailable:\n${indented(workersMessage)}`]),
      ...(upgrading ? [`* TopologyReconciled:\n${indented(`* ${upgrading.message ?? ''}`)}`] : []),
    ].join('\n')
    const available = provisioned && initialized && controlPlaneAvailable && down.length === 0
    const conditions: Wanted[] = [
      condition('Available', available, available ? 'Available' : 'NotAvailable', missing),
      initialized
        ? condition('RemoteConnectionProbe', true, 'ProbeSucceeded')
        : condition('RemoteConnectionProbe', false, 'ProbeFailed', 'Remote connection not established yet'),
      provisioned
        ? condition('InfrastructureReady', true, 'Ready')
        : condition('InfrastructureReady', false, 'NotReady'),
      initialized
        ? condition('ControlPlaneInitialized', true, 'Initialized')
        : condition('ControlPlaneInitialized', false, 'NotInitialized', 'Control plane not yet initialized'),
      controlPlaneAvailable
        ? condition('ControlPlaneAvailable', true, 'Available')
        : condition('ControlPlaneAvailable', false, 'NotAvailable'),
      workers,
      ...topology,
      any('RollingOut', 'RollingOut', 'NotRollingOut'),
      any('Remediating', 'Remediating', 'NotRemediating'),
      any('ScalingDown', 'ScalingDown', 'NotScalingDown'),
      any('ScalingUp', 'ScalingUp', 'NotScalingUp'),
      machinesReady(machines.filter(isControlPlane), 'ControlPlaneMachinesReady'),
      machinesReady(
        machines.filter((m) => !isControlPlane(m)),
        'WorkerMachinesReady',
      ),
      machinesUpToDate(machines.filter(isControlPlane), 'ControlPlaneMachinesUpToDate'),
      machinesUpToDate(
        machines.filter((m) => !isControlPlane(m)),
        'WorkerMachinesUpToDate',
      ),
      NOT_PAUSED,
      deletingCondition(cluster),
    ]
    const plan = plans && plans.length > 0 ? { upgradePlan: plans } : {}
    return {
      conditions: setConditions(cluster.status?.conditions, conditions, generation),
      ...(controlPlane ? { controlPlane: { ...sum([controlPlane]), ...plan } } : {}),
      ...(deployments.length > 0 ? { workers: { ...sum(deployments), ...plan } } : {}),
      initialization: {
        ...(initialized ? { controlPlaneInitialized: true } : {}),
        ...(provisioned ? { infrastructureProvisioned: true } : {}),
      },
      ...(cluster.status?.failureDomains ? { failureDomains: cluster.status.failureDomains } : {}),
      observedGeneration: generation,
      phase: provisioned ? 'Provisioned' : 'Provisioning',
    }
  }
}

const bulleted = (message: string) => (message.startsWith('* ') ? message : `* ${message.replaceAll('\n', '\n  ')}`)

function sum(groups: { spec: { replicas?: number }; status?: Counters }[]) {
  const of = (pick: (status: Counters) => number | undefined) =>
    groups.reduce((n, g) => n + (pick(g.status ?? {}) ?? 0), 0)
  const versions = new Map<string, number>()
  for (const g of groups)
    for (const v of g.status?.versions ?? []) versions.set(v.version, (versions.get(v.version) ?? 0) + v.replicas)
  return {
    availableReplicas: of((s) => s.availableReplicas),
    desiredReplicas: groups.reduce((n, g) => n + (g.spec.replicas ?? 1), 0),
    readyReplicas: of((s) => s.readyReplicas),
    replicas: of((s) => s.replicas),
    upToDateReplicas: of((s) => s.upToDateReplicas),
    versions: [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([version, replicas]) => ({ version, replicas })),
  }
}
