import { isPool } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { OS_CONFIGS, withBuilt } from '@/lib/providers/openshift/built'
import type { ClusterView, ObjectChange } from '../types'

/** A pool with the OS image that is built for it, out of the watch cache; null: that is not known yet, and will be. Others as they are. */
export function builtIn(view: ClusterView, group: KubeObject): KubeObject | null {
  if (!isPool(group)) return group
  const heard = view.heard?.(OS_CONFIGS) ?? 'listed'
  if (heard === 'open') return null
  // Where no such object is served, none is built.
  return withBuilt(group, heard === 'refused' ? undefined : view.objects(OS_CONFIGS).values())
}

/** The pools that a change of a MachineOSConfig concerns, as "resource key". */
export function poolsOfConfig({ resource, object }: ObjectChange, pools: string): string[] {
  if (resource !== OS_CONFIGS) return []
  const name = (object.spec?.machineConfigPool as { name?: string } | undefined)?.name
  return name ? [`${pools} ${name}`] : []
}
