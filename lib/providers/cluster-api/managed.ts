import { isObject } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'

/** Controllers that write on their own behalf: never the author of a change. That of a ClusterClass is: it hands down a Cluster's. */
const CONTROLLER = /^(drydock|manager|capi-(?!topology$).*|cap[a-z]*-(controller-)?manager)$/
/** What is written to a group without asking for other machines. */
const HARMLESS = ['f:replicas', 'f:paused', '.']

/**
 * Field manager that last wrote what the group's machines are to be, as managedFields tell; null where only controllers
 * did. A manager's time is that of its last write of any field.
 */
export function managed(object: KubeObject): string | null {
  const writers = (object.metadata.managedFields ?? []).filter(
    (entry) =>
      entry.manager && !entry.subresource && !CONTROLLER.test(entry.manager) && ownsMachines(entry.fieldsV1 as Json),
  )
  const last = writers.reduce<(typeof writers)[number] | undefined>(
    (newest, entry) => (newest && (newest.time ?? '') > (entry.time ?? '') ? newest : entry),
    undefined,
  )
  return last?.manager ?? null
}

function ownsMachines(fields: Json | undefined): boolean {
  const spec = isObject(fields) ? fields['f:spec'] : undefined
  return isObject(spec) && Object.keys(spec).some((key) => !HARMLESS.includes(key))
}
