import type { Json } from '@/lib/domain/json'
import { lowestVersion } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, items, text } from '../fields'
import type { Projection, ProjectionContext } from '../rows'
import { conditionsOf } from './conditions'

/** A Cluster as a row. */
export const projectCluster: Projection = (cluster, context) => {
  const { metadata, spec, status } = cluster
  return {
    workloadCluster: {
      id: metadata.uid,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      provider: 'cluster-api',
      version: versionOf(cluster, context),
      phase: text(status, 'phase'),
      topologyClass: text(spec, 'topology', 'classRef', 'name') ?? text(spec, 'topology', 'class'),
      // Its annotation keeps nothing but the Cluster itself from being reconciled.
      paused: at(spec, 'paused') === true,
      conditions: conditionsOf(cluster),
      domains: domainsOf(cluster),
      labels: metadata.labels ?? {},
    },
  }
}

/** Those for control planes: a list, and in v1beta1 objects by name. */
function domainsOf({ status }: KubeObject): string[] {
  const listed = at(status, 'failureDomains')
  const domains: [name: Json | undefined, domain: Json][] = Array.isArray(listed)
    ? listed.map((domain) => [at(domain, 'name'), domain])
    : Object.entries(listed ?? {})
  return domains
    .flatMap(([name, domain]) => (typeof name === 'string' && at(domain, 'controlPlane') === true ? [name] : []))
    .sort()
}

/** What runs: the lowest version of the control plane's machines; else what its control plane object or topology says. */
function versionOf({ metadata, spec, status }: KubeObject, context: ProjectionContext): string | null {
  const running = lowestVersion(items(status, 'controlPlane', 'versions').map((entry) => text(entry, 'version')))
  if (running) return running
  const name = text(spec, 'controlPlaneRef', 'name')
  const key = `${metadata.namespace ?? ''}/${name ?? ''}`
  const controlPlane =
    text(spec, 'controlPlaneRef', 'kind') === 'KubeadmControlPlane'
      ? context.find('kubeadmcontrolplanes.controlplane.cluster.x-k8s.io', key)
      : undefined
  return (
    text(controlPlane?.status, 'version') ?? text(controlPlane?.spec, 'version') ?? text(spec, 'topology', 'version')
  )
}
