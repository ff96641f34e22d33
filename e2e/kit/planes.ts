import type { Cluster, KubeObject } from './cluster'

const NAMESPACE = 'payments'
const PLANES = `/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/kubeadmcontrolplanes`
const MACHINES = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/machines`
const HOSTS = `/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/devmachines`

/** A control plane of the demo. */
export class ControlPlane {
  constructor(
    private readonly admin: Cluster,
    readonly name: string,
  ) {}

  get(): Promise<KubeObject> {
    return this.admin.get(`${PLANES}/${this.name}`)
  }
  /** Its machines by name, with their versions, in order. */
  async machines(): Promise<[string, unknown][]> {
    const label = encodeURIComponent(`cluster.x-k8s.io/control-plane-name=${this.name}`)
    const found = await this.admin.list(`${MACHINES}?labelSelector=${label}`)
    return found.map(({ metadata, spec }): [string, unknown] => [metadata.name, spec.version]).sort()
  }
  async raise(version: string): Promise<void> {
    await this.admin.merge(`${PLANES}/${this.name}`, { spec: { version } })
  }
  /** What its manager says of the etcd member; null: it is well. */
  async ails(machine: string, words: string | null): Promise<void> {
    const { spec } = await this.admin.get(`${MACHINES}/${machine}`)
    const { name } = spec.infrastructureRef as { name: string }
    await this.admin.merge(`${HOSTS}/${name}`, { metadata: { annotations: { 'host.sandbox/etcd-ill': words } } })
  }
  async paused(): Promise<boolean> {
    return 'cluster.x-k8s.io/paused' in ((await this.get()).metadata.annotations ?? {})
  }
}
