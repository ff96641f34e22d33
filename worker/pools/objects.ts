import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { PoolObjects } from '@/lib/providers/openshift/pool-rows'
import type { ClusterView } from '../types'
import { builtIn } from './built'

export const POOL_RESOURCES = {
  pools: 'machineconfigpools.machineconfiguration.openshift.io',
  steps: 'machineconfignodes.machineconfiguration.openshift.io',
  clusterVersions: 'clusterversions.config.openshift.io',
  osConfigs: OS_CONFIGS,
  nodes: 'nodes',
} as const

/** What pools and their nodes are told by, out of the watch cache. */
export function poolObjects(view: ClusterView): Omit<PoolObjects, 'releases'> {
  const all = (resource: string): KubeObject[] => [...view.objects(resource).values()]
  return {
    pools: all(POOL_RESOURCES.pools).map((pool) => builtIn(view, pool) ?? { ...pool, built: undefined }),
    steps: view.objects(POOL_RESOURCES.steps),
    nodes: all(POOL_RESOURCES.nodes),
    clusterVersion: view.objects(POOL_RESOURCES.clusterVersions).get('version'),
  }
}

/**
 * Whether nodes were listed since this worker follows the cluster, with the steps by which they are told. As long as they were not, that
 * there is none says nothing: what is known of them from before stays.
 */
export const areListed = (view: ClusterView): boolean =>
  (view.heard?.(POOL_RESOURCES.nodes) ?? 'listed') === 'listed' && view.heard?.(POOL_RESOURCES.steps) !== 'open'

/** They are on their way; else they come when somebody lets them be read. */
export const areComing = (view: ClusterView): boolean =>
  [POOL_RESOURCES.nodes, POOL_RESOURCES.steps].some((stream) => view.heard?.(stream) === 'open')

/** What of an object counts here: nodes report every few minutes without news. */
export function essence(resource: string, object: KubeObject): string {
  const { labels, annotations } = object.metadata
  if (resource !== POOL_RESOURCES.nodes) return object.metadata.resourceVersion
  const conditions = (object.status?.conditions ?? []) as { type?: string; status?: string }[]
  const told = conditions.map(({ type, status }) => `${type} ${status}`)
  return JSON.stringify([labels, annotations, object.spec?.unschedulable, told])
}
