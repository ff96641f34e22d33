import type { Capabilities } from '@/lib/domain/capabilities'

/** Why Drydock cannot skip remediation there, as far as its connection was checked; null: it can. */
export function cannotSkip(discovery: unknown): string | null {
  const { missingPermissions = [], identity } = (discovery ?? {}) as Partial<Capabilities>
  const missing = missingPermissions.some(
    ({ verb, group, resource }) => verb === 'patch' && group === 'cluster.x-k8s.io' && resource === 'machines',
  )
  if (!missing) return null
  return `${identity?.username || 'Drydock'} may not patch machines.cluster.x-k8s.io there; the page of the cluster has the permissions to apply.`
}
