import type { JsonObject } from '../../lib/domain/json'
import { condition, conditionOf, type Wanted } from './conditions'
import { inner } from './clones'
import { AS, suffix, type Env } from './env'
import { isHookError, Lifecycle, type HookAnswers } from './lifecycle'
import {
  json,
  keyOf,
  type Cluster,
  type ControlPlane,
  type Machine,
  type MachineDeployment,
  type Topology,
} from './kinds'
import {
  ANNOTATION,
  CLUSTERS,
  CLUSTER_CLASSES,
  CONTROL_PLANE,
  CONTROL_PLANES,
  CORE,
  LABEL,
  MACHINES,
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

/** What a pass says of the Cluster, and after how many simulated seconds it is to be looked at again. */
export interface TopologyPass {
  conditions: Wanted[]
  plans: { version: string }[]
  again?: number | undefined
}

/** A ClusterClass cluster: the control plane first, the workers when it is done. */
export async function reconcileTopology(
  env: Env,
  cluster: Cluster,
  answers: HookAnswers,
): Promise<TopologyPass | undefined> {
  const { topology } = cluster.spec
  if (!topology) return undefined
  const { namespace } = cluster.metadata
  const found = env.store.get(CLUSTER_CLASSES, `${topology.classRef.namespace ?? namespace}/${topology.classRef.name}`)
  if (!found) {
    const message = `ClusterClass ${topology.classRef.name} not found`
    return { conditions: [condition('TopologyReconciled', false, 'ReconcileFailed', message)], plans: [] }
  }
  const lifecycle = new Lifecycle(env, cluster, answers)
  try {
    return await new Pass(env, cluster, topology, found.spec as unknown as Class, lifecycle).run()
  } catch (error) {
    if (!isHookError(error)) throw error
    // Nothing else of the topology is brought in line while a hook cannot be asked.
    const conditions = [condition('TopologyReconciled', false, 'ReconcileFailed', error.message)]
    return { conditions, plans: [{ version: topology.version }], again: 1 }
  }
}

class Pass {
  constructor(
    private readonly env: Env,
    private readonly cluster: Cluster,
    private readonly topology: Topology,
    private readonly blueprint: Class,
    private readonly lifecycle: Lifecycle,
  ) {}

  private get owned() {
    const { name } = this.cluster.metadata
    return { [LABEL.cluster]: name, [LABEL.owned]: '' }
  }

  private get ownerReferences() {
    const { name, uid } = this.cluster.metadata
    return [{ apiVersion: CORE, kind: 'Cluster', name, uid }]
  }

  async run(): Promise<TopologyPass> {
    const { topology, lifecycle } = this
    await this.references()
    const controlPlane = this.controlPlane()
    if (controlPlane) await this.syncControlPlane(controlPlane, await this.controlPlaneVersion(controlPlane))
    const now = this.controlPlane()
    const deployments = await this.deployments(now)
    const pending = [
      ...(now ? [now.spec.version] : []),
      ...deployments.map((md) => md.spec.template.spec.version),
    ].some((v) => v !== topology.version)
    const rolling = now && !this.settled(now)
    const steps = ['AfterControlPlaneUpgrade', 'AfterWorkersUpgrade']
    if (!pending && !rolling && !deployments.some(this.rolling) && !steps.some((hook) => lifecycle.isPending(hook)))
      await lifecycle.after('AfterClusterUpgrade', { kubernetesVersion: topology.version })
    const again = lifecycle.again
    if (!pending && !rolling && !lifecycle.isPending('AfterClusterUpgrade'))
      return { conditions: [condition('TopologyReconciled', true, 'ReconcileSucceeded')], plans: [], again }
    const blocking = lifecycle.blocking.map(({ hook, message }) => (message ? `${hook}: ${message}` : hook))
    const lines = [
      ...(blocking.length > 0 ? [`Following hooks are blocking upgrade: ${blocking.join('; ')}`] : []),
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
      again,
    }
  }

  /**
   * Of what is there, or the version of the topology: in the order of upstream's computeControlPlaneVersion, in one step. Without
   * the feature gate nobody is asked, and nothing is tracked.
   */
  private async controlPlaneVersion(controlPlane: ControlPlane): Promise<string> {
    const { topology, lifecycle, env } = this
    const { version } = controlPlane.spec
    if (!env.gates.runtimeSdk) return topology.version
    if (!controlPlane.status?.initialization?.controlPlaneInitialized || this.upgrading(controlPlane)) return version
    const plan = outdated(controlPlane, topology.version) ? [{ version: topology.version }] : []
    const workers = this.behind(topology.version) ? [{ version: topology.version }] : []
    const plans = { controlPlaneUpgrades: plan, workersUpgrades: workers }
    if (!(await lifecycle.after('AfterControlPlaneUpgrade', { kubernetesVersion: version, ...plans }))) return version
    const from = this.list().find((md) => outdated(md.spec.template, version))?.spec.template.spec.version ?? version
    const step = { fromKubernetesVersion: from, toKubernetesVersion: version, ...plans }
    if (!(await lifecycle.after('BeforeWorkersUpgrade', step))) return version
    if (this.behind(version) || this.list().some(this.rolling)) return version
    if (!(await lifecycle.after('AfterWorkersUpgrade', { kubernetesVersion: version, ...plans }))) return version
    if (plan.length === 0) return version
    const upgrade = { fromKubernetesVersion: version, toKubernetesVersion: topology.version, ...plans }
    if (!lifecycle.isPending('AfterClusterUpgrade')) {
      if (!(await lifecycle.before(upgrade))) return version
      await lifecycle.mark('AfterClusterUpgrade')
    }
    if (!(await lifecycle.ask('BeforeControlPlaneUpgrade', upgrade))) return version
    const after = workers.length > 0 ? ['BeforeWorkersUpgrade', 'AfterWorkersUpgrade'] : []
    await lifecycle.mark('AfterControlPlaneUpgrade', ...after)
    return topology.version
  }

  private upgrading = ({ spec, status }: ControlPlane): boolean => status?.version !== spec.version

  private list(): MachineDeployment[] {
    const { name, namespace } = this.cluster.metadata
    return this.env.cache.inCluster<MachineDeployment>(MACHINE_DEPLOYMENTS, namespace, name)
  }

  private behind = (version: string): boolean => this.list().some((md) => outdated(md.spec.template, version))

  private controlPlane() {
    return this.env.cache.controlPlane(this.cluster.metadata.namespace, this.cluster.metadata.name)
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

  private async syncControlPlane(controlPlane: ControlPlane, version: string) {
    // As upstream: what waits for its version gets nothing else meanwhile, lest it rolls twice.
    if (version !== this.topology.version) return
    const replicas = this.topology.controlPlane?.replicas ?? controlPlane.spec.replicas ?? 1
    if (controlPlane.spec.version === version && controlPlane.spec.replicas === replicas) return
    await this.env.store.merge(CONTROL_PLANES, keyOf(controlPlane), { spec: { replicas, version } }, AS.topology)
  }

  private async deployments(controlPlane: ControlPlane | undefined): Promise<MachineDeployment[]> {
    const { lifecycle, topology } = this
    const list = () => this.list()
    const asked = ['AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'].some((hook) => lifecycle.isPending(hook))
    const ready =
      controlPlane !== undefined && !outdated(controlPlane, topology.version) && this.settled(controlPlane) && !asked
    for (const wanted of topology.workers?.machineDeployments ?? []) {
      const live = list().find((md) => md.metadata.labels?.[LABEL.topologyDeployment] === wanted.name)
      if (!live) await this.createDeployment(wanted, controlPlane?.spec.version ?? topology.version)
      else await this.syncDeployment(live, wanted, ready && !list().some((md) => md !== live && this.rolling(md)))
    }
    return list()
  }

  /** By its machines and their kubelets, as upstream's IsMachineDeploymentUpgrading: what its status says comes later. */
  private rolling = (md: MachineDeployment): boolean => {
    const { name, namespace } = this.cluster.metadata
    const { version } = md.spec.template.spec
    if (!version) return false
    const machines = this.env.cache.inCluster<Machine>(MACHINES, namespace, name)
    return machines.some(
      ({ metadata, spec, status }) =>
        metadata.labels?.[LABEL.deployment] === md.metadata.name &&
        (spec.version !== version || (status?.nodeInfo?.kubeletVersion ?? version) !== version),
    )
  }

  private async syncDeployment(
    live: MachineDeployment,
    wanted: { replicas?: number; rollout?: MachineDeployment['spec']['rollout'] },
    upgrade: boolean,
  ) {
    const replicas = wanted.replicas ?? live.spec.replicas ?? 1
    const version = upgrade ? this.topology.version : live.spec.template.spec.version
    if (version !== this.topology.version) return
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
