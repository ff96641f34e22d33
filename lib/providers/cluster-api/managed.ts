import type { KubeObject } from '@/lib/kubernetes/types'

/** Controllers that write on their own behalf: never the author of a change. */
const CONTROLLER = /^(drydock|manager|capi-.*|cap[a-z]*-(controller-)?manager)$/

/** Field manager that last wrote the object's metadata or spec, as managedFields tell; null where only controllers did. */
export function managed(object: KubeObject): string | null {
  const writers = (object.metadata.managedFields ?? []).filter(
    (entry) => entry.manager && !entry.subresource && !CONTROLLER.test(entry.manager),
  )
  const last = writers.reduce<(typeof writers)[number] | undefined>(
    (newest, entry) => (newest && (newest.time ?? '') > (entry.time ?? '') ? newest : entry),
    undefined,
  )
  return last?.manager ?? null
}
