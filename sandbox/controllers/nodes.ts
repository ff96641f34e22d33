/**
 * The Nodes of the workload clusters. They belong to those clusters, not to the management cluster: whoever updates a
 * host changes its Node there (see workload-api.ts), and the Machine controller reads it back into Machine.status.
 */
export class Nodes {
  private readonly kubelets = new Map<string, string>()
  /** Since when. */
  private readonly silent = new Map<string, number>()

  constructor(private readonly changed: (namespace: string, node: string) => void) {}

  private id = (namespace: string, cluster: string, node: string) => `${namespace}/${cluster}/${node}`

  join(namespace: string, cluster: string, node: string, kubeletVersion: string) {
    this.kubelets.set(this.id(namespace, cluster, node), kubeletVersion)
  }

  remove(namespace: string, cluster: string, node: string) {
    this.kubelets.delete(this.id(namespace, cluster, node))
    this.silent.delete(this.id(namespace, cluster, node))
  }

  /** A kubelet that stops reporting, or comes back. */
  setSilent(namespace: string, cluster: string, node: string, silent: boolean) {
    const id = this.id(namespace, cluster, node)
    if (!silent) this.silent.delete(id)
    else if (this.kubelets.has(id) && !this.silent.has(id)) this.silent.set(id, Date.now())
    this.changed(namespace, node)
  }

  isSilent(namespace: string, cluster: string, node: string) {
    return this.silent.has(this.id(namespace, cluster, node))
  }

  /** As long as a kubelet does not report, nobody knows whether its node is ready. */
  silentSince(namespace: string, cluster: string, node: string) {
    return this.silent.get(this.id(namespace, cluster, node))
  }

  kubelet(namespace: string, cluster: string, node: string) {
    return this.kubelets.get(this.id(namespace, cluster, node))
  }

  setKubelet(namespace: string, cluster: string, node: string, version: string) {
    const id = this.id(namespace, cluster, node)
    if (!this.kubelets.has(id)) return false
    if (this.kubelets.get(id) === version) return true
    this.kubelets.set(id, version)
    this.changed(namespace, node)
    return true
  }
}
