import type { Governs } from '@/lib/db/read-model/watched'
import { isNeverHeld } from '@/lib/domain/latch/hold'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import type { KubeObject } from '@/lib/kubernetes/types'

const GOVERNABLE = new Set(GOVERNED_KINDS)

/** Whether the policy of the cluster governs a group: the same choice that the latch's match conditions make. */
export function isGoverned(policy: Governs, group: KubeObject, namespace: KubeObject | undefined): boolean {
  if (!GOVERNABLE.has(group.kind)) return false
  if (isNeverHeld(group)) return false
  if (policy.governs === 'all') return true
  if (policy.governs === 'object-label') return matches(policy, group.metadata.labels)
  if (policy.governs === 'namespace-label') return matches(policy, namespace?.metadata.labels)
  return false
}

function matches({ labelKey, labelValue }: Governs, labels: Record<string, string> = {}): boolean {
  if (!labelKey || !(labelKey in labels)) return false
  return labelValue === null || labelValue === '' || labels[labelKey] === labelValue
}
