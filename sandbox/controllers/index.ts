import type { SandboxObject, Store, StoreEvent } from '../types'
import { Cache, clusterOf } from './cache'
import { Clock } from './clock'
import { ClusterController } from './cluster'
import { isTrue } from './conditions'
import { ControlPlaneController } from './control-plane'
import { reconcileDeployment } from './deployments'
import type { Env } from './env'
import { reconcileExtensionConfig } from './extension-config'
import { HealthCheckController } from './health-check'
import { Hooks } from './hooks'
import { isUpdating, type Machine } from './kinds'
import { MachineController } from './machine'
import { MachineDeploymentController } from './machine-deployment'
import { MachineSetController } from './machine-set'
import * as N from './names'
import { Nodes } from './nodes'
import { InfrastructureController, reconcileConfig } from './providers'
import { Queue } from './queue'

export interface ControllerOptions {
  /** How many times faster than in reality; 1 is real time. */
  speed?: number
  /** InPlaceUpdates and RuntimeSDK. */
  inPlace?: boolean
  /** Reconcile errors, as the managers log them. */
  log?: (line: string) => void
}

export interface ClusterApiControllers {
  nodes: Nodes
  stop(): Promise<void>
}

/** machinehealthcheck_controller.go, SetupWithManager: seconds between two looks. */
const CHECK_INTERVAL = 15

/** Cluster API's managers over the sandbox's store. Everything happens because of an event or a timer. */
export function startClusterApiControllers(store: Store, options: ControllerOptions = {}): ClusterApiControllers {
  const { inPlace = true, log = () => undefined } = options
  const clock = new Clock(options.speed ?? 1)
  const queues = new Map<string, Queue>()
  const enqueue = (resource: string, key: string) => queues.get(resource)?.add(key)
  const nodes = new Nodes((namespace, node) => enqueue(N.MACHINES, `${namespace}/${node}`))
  for (const object of store.list(N.MACHINES)) {
    const { metadata, spec, status } = object as unknown as Machine
    if (status?.nodeRef)
      nodes.join(metadata.namespace ?? '', spec.clusterName, metadata.name, status.nodeInfo?.kubeletVersion ?? '')
  }
  const env: Env = {
    store,
    cache: new Cache(store),
    clock,
    hooks: new Hooks(store),
    nodes,
    gates: { inPlaceUpdates: inPlace, runtimeSdk: inPlace },
    enqueue,
  }
  const controllers: [string, (key: string) => Promise<number | undefined>][] = [
    [N.DEPLOYMENTS, reconcileDeployment(env)],
    [N.EXTENSION_CONFIGS, reconcileExtensionConfig(env)],
    [N.CLUSTERS, new ClusterController(env).reconcile],
    [N.CONTROL_PLANES, new ControlPlaneController(env).reconcile],
    [N.MACHINE_DEPLOYMENTS, new MachineDeploymentController(env).reconcile],
    [N.MACHINE_SETS, new MachineSetController(env).reconcile],
    [N.MACHINES, new MachineController(env).reconcile],
    [N.HEALTH_CHECKS, new HealthCheckController(env).reconcile],
    [N.CONFIGS, reconcileConfig(env)],
    [N.DEV_MACHINES, new InfrastructureController(env).reconcile],
  ]
  for (const [resource, reconcile] of controllers) {
    const failed = (key: string, error: unknown) => log(`${resource} ${key}: ${String(error)}`)
    queues.set(resource, new Queue(clock, reconcile, failed, resource === N.HEALTH_CHECKS ? CHECK_INTERVAL : 1))
  }
  const unsubscribe = store.subscribe((event) => {
    env.cache.observe(event)
    route(env, event)
  })
  const first = [
    N.DEPLOYMENTS,
    N.EXTENSION_CONFIGS,
    N.CLUSTERS,
    N.CONTROL_PLANES,
    N.MACHINE_DEPLOYMENTS,
    N.MACHINE_SETS,
    N.HEALTH_CHECKS,
  ]
  for (const resource of first) {
    for (const object of store.list(resource)) enqueue(resource, idOf(object))
  }
  // Settled machines have nothing to do: a large fleet starts without a pass over all of it.
  for (const object of store.list(N.MACHINES)) if (!settled(object as unknown as Machine)) touchMachine(env, object)
  return {
    nodes,
    async stop() {
      unsubscribe()
      clock.stop()
      await Promise.all([...queues.values()].map((queue) => queue.idle()))
    },
  }
}

const idOf = ({ metadata }: SandboxObject) =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name

const settled = (machine: Machine) =>
  !machine.metadata.deletionTimestamp &&
  !isUpdating(machine) &&
  isTrue(machine, 'Available') &&
  isTrue(machine, 'UpToDate')

function touchMachine(env: Env, machine: SandboxObject) {
  const key = idOf(machine)
  env.enqueue(N.MACHINES, key)
  env.enqueue(N.CONFIGS, key)
  env.enqueue(N.DEV_MACHINES, key)
}

/** Who has to look again because of this event. */
function route(env: Env, event: StoreEvent) {
  const { resource, key, object, old } = event
  const statusOnly =
    old !== undefined &&
    event.type === 'MODIFIED' &&
    old.metadata.generation === object.metadata.generation &&
    JSON.stringify([old.metadata.annotations, old.metadata.labels]) ===
      JSON.stringify([object.metadata.annotations, object.metadata.labels])
  if (resource === N.EXTENSION_CONFIGS) {
    if (!statusOnly) env.enqueue(resource, key)
    return
  }
  env.enqueue(resource, key)
  const { namespace } = object.metadata
  const owners = [...(object.metadata.ownerReferences ?? []), ...(old?.metadata.ownerReferences ?? [])]
  for (const owner of owners) {
    const owned = OWNERS[owner.kind]
    if (owned) env.enqueue(owned, `${namespace}/${owner.name}`)
  }
  const cluster = resource === N.CLUSTERS ? object.metadata.name : clusterOf(object)
  if (cluster && resource !== N.CLUSTERS && resource !== N.CONFIGS && resource !== N.DEV_MACHINES) {
    env.enqueue(N.CLUSTERS, `${namespace}/${cluster}`)
  }
  if (resource === N.MACHINES) {
    const deployment = object.metadata.labels?.[N.LABEL.deployment]
    if (deployment) env.enqueue(N.MACHINE_DEPLOYMENTS, `${namespace}/${deployment}`)
    if (cluster) touchAll(env, N.HEALTH_CHECKS, namespace, cluster)
    if (!statusOnly) touchMachine(env, object)
  }
  if (resource === N.MACHINE_SETS) {
    const peers = [N.ANNOTATION.receiveFrom, N.ANNOTATION.moveTo].flatMap(
      (a) => object.metadata.annotations?.[a]?.split(',') ?? [],
    )
    for (const peer of peers) env.enqueue(N.MACHINE_SETS, `${namespace}/${peer}`)
  }
  if (resource === N.MACHINE_DEPLOYMENTS && !statusOnly) {
    for (const set of env.cache.owned<Machine>(N.MACHINE_SETS, object.metadata.uid)) touchOwned(env, set.metadata.uid)
  }
  if (resource === N.CONTROL_PLANES && cluster) {
    if (!statusOnly) touchOwned(env, object.metadata.uid)
    if (old?.status?.version !== object.status?.version || !statusOnly)
      touchAll(env, N.MACHINE_SETS, namespace, cluster)
  }
  if (resource === N.CLUSTERS && clusterMatters(object, old)) touchCluster(env, namespace, object.metadata.name)
}

const OWNERS: Record<string, string> = {
  MachineSet: N.MACHINE_SETS,
  MachineDeployment: N.MACHINE_DEPLOYMENTS,
  KubeadmControlPlane: N.CONTROL_PLANES,
  Machine: N.MACHINES,
  Cluster: N.CLUSTERS,
}

function touchOwned(env: Env, uid: string) {
  for (const m of env.cache.owned<SandboxObject>(N.MACHINES, uid)) env.enqueue(N.MACHINES, idOf(m))
}

function touchAll(env: Env, resource: string, namespace: string | undefined, cluster: string) {
  for (const object of env.cache.inCluster<SandboxObject>(resource, namespace, cluster))
    env.enqueue(resource, idOf(object))
}

/** Pausing and becoming reachable concern everything in the cluster. */
function clusterMatters(object: SandboxObject, old: SandboxObject | undefined) {
  const facts = (o: SandboxObject | undefined) => JSON.stringify([o?.spec?.paused, o?.status?.initialization])
  return facts(object) !== facts(old)
}

function touchCluster(env: Env, namespace: string | undefined, cluster: string) {
  for (const resource of [N.CONTROL_PLANES, N.MACHINE_DEPLOYMENTS, N.MACHINE_SETS])
    touchAll(env, resource, namespace, cluster)
  for (const machine of env.cache.inCluster<SandboxObject>(N.MACHINES, namespace, cluster)) touchMachine(env, machine)
}
