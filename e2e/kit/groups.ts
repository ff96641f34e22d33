import { expect } from '@playwright/test'
import type { Cluster, KubeObject } from './cluster'

const NAMESPACE = 'search'
const DEPLOYMENTS = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/machinedeployments`
const MACHINES = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/machines`
const CHECKS = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/machinehealthchecks`
const HOSTS = `/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/devmachines`
const LABEL = 'cluster.x-k8s.io/deployment-name'

/** A MachineDeployment that only this test changes: made as another client makes one, from one that is there. */
export class Group {
  private constructor(
    private readonly admin: Cluster,
    readonly name: string,
    readonly version: string,
  ) {}

  static async make(admin: Cluster, what: string, replicas = 2, spare = false): Promise<Group> {
    const source = await admin.get(`${DEPLOYMENTS}/search-eu-query`)
    const name = `e2e-${what}-${Math.random().toString(36).slice(2, 7)}`
    const spec = structuredClone(source.spec) as { template: { metadata?: object; spec: { version: string } } }
    const labels = { 'cluster.x-k8s.io/cluster-name': String(source.spec.clusterName), [LABEL]: name }
    await admin.create(DEPLOYMENTS, {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      // The simulated fleet loses a machine now and then, and none of these.
      metadata: { name, namespace: NAMESPACE, annotations: { 'host.sandbox/left-alone': '' } },
      spec: {
        ...spec,
        replicas,
        // Without a spare machine every one of them is updated where it stands.
        rollout: {
          strategy: {
            type: 'RollingUpdate',
            rollingUpdate: spare ? { maxSurge: 1, maxUnavailable: 0 } : { maxSurge: 0, maxUnavailable: 1 },
          },
        },
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    })
    const group = new Group(admin, name, spec.template.spec.version)
    await expect
      .poll(async () => (await group.get()).status?.availableReplicas, { timeout: 90_000, message: `${name} comes up` })
      .toBe(replicas)
    return group
  }

  get(): Promise<KubeObject> {
    return this.admin.get(`${DEPLOYMENTS}/${this.name}`)
  }
  /** The machines by name, with their versions. */
  async machines(): Promise<Map<string, unknown>> {
    const found = await this.admin.list(`${MACHINES}?labelSelector=${encodeURIComponent(`${LABEL}=${this.name}`)}`)
    return new Map(found.map(({ metadata, spec }) => [metadata.name, spec.version]))
  }
  async raise(to: string): Promise<void> {
    await this.admin.merge(`${DEPLOYMENTS}/${this.name}`, { spec: { template: { spec: { version: to } } } })
  }
  /** Somebody writes what it wants besides, which moves nothing. */
  async orders(order: 'Newest' | 'Oldest'): Promise<void> {
    await this.admin.merge(`${DEPLOYMENTS}/${this.name}`, { spec: { deletion: { order } } })
  }
  /** A health check finds one of its machines ill. */
  async fallsIll(machine: string): Promise<void> {
    const path = `${MACHINES}/${machine}`
    const { status } = await this.admin.get(path)
    const ill = { type: 'HealthCheckSucceeded', status: 'False', reason: 'UnhealthyNode', message: 'Node is ill' }
    const conditions = [...((status?.conditions as object[] | undefined) ?? []), { ...ill, lastTransitionTime: now() }]
    await this.admin.merge(`${path}/status`, { status: { conditions } })
  }
  /** Its hosts are away for so long when they are updated in place. */
  async away(time: string): Promise<void> {
    const annotations = { 'host.sandbox/away-in-updates': time }
    for (const name of (await this.machines()).keys())
      await this.admin.merge(`${HOSTS}/${name}`, { metadata: { annotations } })
  }
  /** The same, and a health check waits so many seconds for them. */
  async watched(away: string, seconds: number): Promise<void> {
    await this.away(away)
    await this.admin.create(CHECKS, {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineHealthCheck',
      metadata: { name: this.name, namespace: NAMESPACE },
      spec: {
        clusterName: (await this.get()).spec.clusterName,
        selector: { matchLabels: { [LABEL]: this.name } },
        checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: seconds }] },
      },
    })
  }
  /** Its health check waits longer, or less long, from now on. */
  async checkWaits(timeoutSeconds: number): Promise<void> {
    const checks = { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds }] }
    await this.admin.merge(`${CHECKS}/${this.name}`, { spec: { checks } })
  }
  /** What its machines bear of these annotations. */
  async annotated(...keys: string[]): Promise<string[]> {
    const found = await this.admin.list(`${MACHINES}?labelSelector=${encodeURIComponent(`${LABEL}=${this.name}`)}`)
    return found.flatMap(({ metadata }) => keys.filter((key) => key in (metadata.annotations ?? {})))
  }
  async paused(): Promise<boolean> {
    return 'cluster.x-k8s.io/paused' in ((await this.get()).metadata.annotations ?? {})
  }
  async remove(): Promise<void> {
    await this.admin.remove(`${CHECKS}/${this.name}`)
    await this.admin.remove(`${DEPLOYMENTS}/${this.name}`)
  }
}

const now = () => `${new Date().toISOString().slice(0, 19)}Z`
