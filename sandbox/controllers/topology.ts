import type { JsonObject } from '../../lib/domain/json'
import { condition, conditionOf, type Wanted } from './conditions'
import { inner } from './clones'
import { AS, suffix, type Env } from './env'
import { json, keyOf, type Cluster, type ControlPlane, type MachineDeployment, type Topology } from './kinds'
import {
  ANNOTATION,
  CLUSTERS,
  CLUSTER_CLASSES,
  CONTROL_PLANE,
  CONTROL_PLANES,
  CORE,
  LABEL,
  MACHINE_DEPLOYMENTS,
} from './names'

type TemplateRef = { apiVersion: string; kind: string; name: string }
type Naming = { template?: string }
interface Class {
  infrastructure: { templateRef: TemplateRef }
  controlPlane: { templateRef: TemplateRef; machineInfrastructure: { templateRef: TemplateRef }; naming?: Naming }
  workers?: {
    machineDeployments?: {
      class: string
      naming?: Naming
      bootstrap: { templateRef: TemplateRef }
      infrastructure: { templateRef: TemplateRef }
    }[]
  }
}

const resourceOf = (ref: TemplateRef, template = true) =>
  `${ref.kind.toLowerCase().replace(/template$/, template ? 'templates' : 's')}.${ref.apiVersion.split('/')[0]}`

/** Names as a ClusterClass templates them: "{{ .cluster.name }}-{{ .random }}". */
const named = (naming: Naming | undefined, standard: string, values: Record<string, string>) =>
  (naming?.template ?? standard).replace(/\{\{\s*\.([\w.]+)\s*\}\}/g, (_, field: string) =>
    field === 'random' ? suffix() : (values[field] ?? ''),
  )

const outdated = (object: { spec: { version?: string } }, version: string) => object.spec.version !== version

/** A ClusterClass cluster: the control plane first, the workers when it is done. */
export async function reconcileTopology(
  env: Env,
  cluster: Cluster,
): Promise<{ conditions: Wanted[]; plans: { version: string }[] } | undefined> {
  const { topology } = cluster.spec
  if (!topology) return undefined
  const { namespace } = cluster.metadata
  const found = env.store.get(CLUSTER_CLASSES, `${topology.classRef.namespace ?? namespace}/${topology.classRef.name}`)
  if (!found) {
    const message = `ClusterClass ${topology.classRef.name} not found`
    return { conditions: [condition('TopologyReconciled', false, 'ReconcileFailed', message)], plans: [] }
  }
  const pass = new Pass(env, cluster, topology, found.spec as unknown as Class)
  return pass.run()
}

class Pass {
  constructor(
    private readonly env: Env,
    private readonly cluster: Cluster,
    private readonly topology: Topology,
    private readonly blueprint: Class,
  ) {}

  private get owned() {
    const { name } = this.cluster.metadata
    return { [LABEL.cluster]: name, [LABEL.owned]: '' }
  }

  private get ownerReferences() {
    const { name, uid } = this.cluster.metadata
    return [{ apiVersion: CORE, kind: 'Cluster', name, uid }]
  }

  async run() {
    const { topology } = this
    await this.references()
    const controlPlane = this.controlPlane()
    const blocking = this.blocking(controlPlane)
    if (controlPlane && !blocking) {
      if (this.env.gates.runtimeSdk && outdated(controlPlane, topology.version)) await this.upgrading(true)
      await this.syncControlPlane(controlPlane)
    }
    const now = this.controlPlane()
    const deployments = await this.deployments(now)
    const pending = [
      ...(now ? [now.spec.version] : []),
      ...deployments.map((md) => md.spec.template.spec.version),
    ].some((v) => v !== topology.version)
    const rolling = now && !this.settled(now)
    if (!pending && !rolling) await this.upgrading(false)
    if (!pending && !rolling)
      return { conditions: [condition('TopologyReconciled', true, 'ReconcileSucceeded')], plans: [] }
    const lines = [
      ...(blocking
        ? [`Following hooks are blocking upgrade: BeforeClusterUpgrade: annotation ${blocking} is set`]
        : []),
      ...(now && outdated(now, topology.version)
        ? [`KubeadmControlPlane pending upgrade to version ${topology.version}`]
        : []),
      ...(now && !outdated(now, topology.version) && rolling
        ? [`KubeadmControlPlane upgrading to version ${topology.version}`]
        : []),
      ...deployments
        .filter((md) => outdated(md.spec.template, topology.version))
        .map((md) => `MachineDeployment ${md.metadata.name} pending upgrade to version ${topology.version}`),
    ]
    const message = [`Cluster is upgrading to ${topology.version}`, ...lines.map((line) => `  * ${line}`)].join('\n')
    const reason =
      pending || controlPlane?.status?.initialization?.controlPlaneInitialized ? 'ClusterUpgrading' : 'ClusterCreating'
    return {
      conditions: [condition('TopologyReconciled', false, reason, message)],
      plans: pending ? [{ version: topology.version }] : [],
    }
  }

  /** Until an upgrade is over, the hook that comes after it is pending: the Cluster's webhook takes no other version. */
  private async upgrading(is: boolean) {
    const marked = this.cluster.metadata.annotations?.[ANNOTATION.pendingHooks] !== undefined
    if (marked === is) return
    const annotations = { [ANNOTATION.pendingHooks]: is ? 'AfterClusterUpgrade' : null }
    await this.env.store.merge(CLUSTERS, keyOf(this.cluster), { metadata: { annotations } }, AS.topology)
  }

  private controlPlane() {
    return this.env.cache.controlPlane(this.cluster.metadata.namespace, this.cluster.metadata.name)
  }

  /** An annotation blocks the start of an upgrade, not its later steps. */
  private blocking(controlPlane: ControlPlane | undefined) {
    if (!this.env.gates.runtimeSdk || !controlPlane || !outdated(controlPlane, this.topology.version)) return undefined
    return Object.keys(this.cluster.metadata.annotations ?? {}).find((key) => key.startsWith(ANNOTATION.beforeUpgrade))
  }

  private settled(controlPlane: ControlPlane) {
    return (
      controlPlane.status?.version === controlPlane.spec.version &&
      controlPlane.status.observedGeneration === controlPlane.metadata.generation &&
      controlPlane.metadata.annotations?.[ANNOTATION.paused] === undefined &&
      conditionOf(controlPlane, 'RollingOut')?.status === 'False' &&
      conditionOf(controlPlane, 'Available')?.status === 'True'
    )
  }

  private async copy(ref: TemplateRef, name: string, spec?: JsonObject) {
    const { namespace } = this.cluster.metadata
    const template = this.env.store.get(resourceOf(ref), `${namespace}/${ref.name}`)
    if (!template) throw new Error(`${ref.kind} ${ref.name} not found`)
    const metadata = { name, namespace, labels: this.owned, ownerReferences: this.ownerReferences }
    const kind = spec ? ref.kind.replace(/Template$/, '') : ref.kind
    await this.env.store.create(
      resourceOf(ref, !spec),
      json({ apiVersion: template.apiVersion, kind, metadata, spec: spec ?? template.spec }),
      AS.topology,
    )
    return { apiGroup: ref.apiVersion.split('/')[0] ?? '', kind, name }
  }

  private template(ref: TemplateRef): JsonObject {
    const template = this.env.store.get(resourceOf(ref), `${this.cluster.metadata.namespace}/${ref.name}`)
    if (!template) throw new Error(`${ref.kind} ${ref.name} not found`)
    return json(inner(template).spec ?? {})
  }

  private async references() {
    const { cluster, blueprint, topology, env } = this
    const { name, namespace } = cluster.metadata
    const spec: JsonObject = {}
    if (!cluster.spec.infrastructureRef) {
      const { templateRef } = blueprint.infrastructure
      spec.infrastructureRef = await this.copy(templateRef, `${name}-${suffix()}`, this.template(templateRef))
    }
    if (!cluster.spec.controlPlaneRef) {
      const machines = await this.copy(blueprint.controlPlane.machineInfrastructure.templateRef, `${name}-${suffix()}`)
      const controlPlane = named(blueprint.controlPlane.naming, '{{ .cluster.name }}-{{ .random }}', {
        'cluster.name': name,
      })
      const template = this.template(blueprint.controlPlane.templateRef)
      await env.store.create(
        CONTROL_PLANES,
        json({
          apiVersion: CONTROL_PLANE,
          kind: 'KubeadmControlPlane',
          metadata: {
            name: controlPlane,
            namespace,
            labels: this.owned,
            finalizers: ['kubeadm.controlplane.cluster.x-k8s.io'],
            ownerReferences: this.ownerReferences,
          },
          spec: {
            ...template,
            replicas: topology.controlPlane?.replicas ?? 1,
            version: topology.version,
            machineTemplate: { metadata: { labels: this.owned }, spec: { infrastructureRef: machines } },
          },
        }),
        AS.topology,
      )
      spec.controlPlaneRef = {
        apiGroup: 'controlplane.cluster.x-k8s.io',
        kind: 'KubeadmControlPlane',
        name: controlPlane,
      }
    }
    if (Object.keys(spec).length > 0)
      await env.store.merge(CLUSTERS, keyOf(cluster), { metadata: { labels: this.owned }, spec }, AS.topology)
  }

  private async syncControlPlane(controlPlane: ControlPlane) {
    const replicas = this.topology.controlPlane?.replicas ?? controlPlane.spec.replicas ?? 1
    const { version } = this.topology
    if (controlPlane.spec.version === version && controlPlane.spec.replicas === replicas) return
    await this.env.store.merge(CONTROL_PLANES, keyOf(controlPlane), { spec: { replicas, version } }, AS.topology)
  }

  private async deployments(controlPlane: ControlPlane | undefined): Promise<MachineDeployment[]> {
    const { env, cluster, topology } = this
    const { name, namespace } = cluster.metadata
    const list = () => env.cache.inCluster<MachineDeployment>(MACHINE_DEPLOYMENTS, namespace, name)
    const ready = controlPlane !== undefined && !outdated(controlPlane, topology.version) && this.settled(controlPlane)
    for (const wanted of topology.workers?.machineDeployments ?? []) {
      const live = list().find((md) => md.metadata.labels?.[LABEL.topologyDeployment] === wanted.name)
      if (!live) await this.createDeployment(wanted, controlPlane?.spec.version ?? topology.version)
      else await this.syncDeployment(live, wanted, ready && !list().some((md) => md !== live && this.rolling(md)))
    }
    return list()
  }

  private rolling = (md: MachineDeployment) => conditionOf(md, 'RollingOut')?.status === 'True'

  private async syncDeployment(
    live: MachineDeployment,
    wanted: { replicas?: number; rollout?: MachineDeployment['spec']['rollout'] },
    upgrade: boolean,
  ) {
    const replicas = wanted.replicas ?? live.spec.replicas ?? 1
    const version = upgrade ? this.topology.version : live.spec.template.spec.version
    if (live.spec.replicas === replicas && live.spec.template.spec.version === version) return
    const spec = json({ replicas, template: { spec: { version } } })
    await this.env.store.merge(MACHINE_DEPLOYMENTS, keyOf(live), { spec }, AS.topology)
  }

  private async createDeployment(
    wanted: NonNullable<NonNullable<Topology['workers']>['machineDeployments']>[number],
    version: string,
  ) {
    const { name, namespace } = this.cluster.metadata
    const blueprint = this.blueprint.workers?.machineDeployments?.find((md) => md.class === wanted.class)
    if (!blueprint) throw new Error(`ClusterClass has no MachineDeployment class ${wanted.class}`)
    const own = named(blueprint.naming, '{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}', {
      'cluster.name': name,
      'machineDeployment.topologyName': wanted.name,
    })
    const labels = { ...this.owned, [LABEL.topologyDeployment]: wanted.name }
    const infrastructureRef = await this.copy(blueprint.infrastructure.templateRef, `${own}-${suffix()}`)
    const configRef = await this.copy(blueprint.bootstrap.templateRef, `${own}-${suffix()}`)
    const selector = { ...labels, [LABEL.deployment]: own }
    const { metadata } = wanted
    await this.env.store.create(
      MACHINE_DEPLOYMENTS,
      json({
        apiVersion: CORE,
        kind: 'MachineDeployment',
        metadata: {
          name: own,
          namespace,
          labels: { ...metadata?.labels, ...labels },
          annotations: metadata?.annotations,
          finalizers: ['cluster.x-k8s.io/machinedeployment'],
          ownerReferences: this.ownerReferences,
        },
        spec: {
          clusterName: name,
          replicas: wanted.replicas ?? 1,
          ...(wanted.rollout ? { rollout: wanted.rollout } : {}),
          selector: { matchLabels: selector },
          template: {
            metadata: { labels: { ...metadata?.labels, ...selector } },
            spec: { clusterName: name, version, bootstrap: { configRef }, infrastructureRef },
          },
        },
      }),
      AS.topology,
    )
  }
}
