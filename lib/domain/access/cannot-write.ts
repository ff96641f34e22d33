import type { Capabilities, MissingPermission } from '../capabilities'
import { LATCHED_POOL } from '../latch/table'
import { nameOf, statusWords } from './openshift'

export const POOLS = { group: LATCHED_POOL.group, resource: LATCHED_POOL.plural }

/** Why Drydock cannot write what people decide on objects of a kind of OpenShift, as far as its connection was checked; null: it can. */
export function cannotWrite(
  found: Partial<Pick<Capabilities, 'missingPermissions'>> | null,
  { group, resource }: Pick<MissingPermission, 'group' | 'resource'>,
): string | null {
  const lack = found?.missingPermissions?.find(
    (m) => m.part === 'openshift-write' && m.verb === 'patch' && m.group === group && m.resource === resource,
  )
  if (!lack) return null
  return lack.statusOnly
    ? statusWords(lack)
    : `Drydock may not change ${nameOf(lack)} in this cluster: deploy/rbac-openshift-write.yaml grants that.`
}
