import { isObject, valueAt } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import type { FieldWriter } from '@/lib/domain/plan/roll-back'
import type { KubeObject } from '@/lib/kubernetes/types'

/** Controllers that write on their own behalf: never the author of a change. That of a ClusterClass is: it hands down a Cluster's. */
const CONTROLLER = /^(drydock|manager|capi-(?!topology$).*|cap[a-z]*-(controller-)?manager)$/
/** What is written to a group without asking for other machines. */
const HARMLESS = ['f:replicas', 'f:paused', '.']

/** Who is named as the writer of any of these fields of a worker group's template, but for controllers. */
export function writersOf(object: KubeObject, fields: readonly string[]): FieldWriter[] {
  return (object.metadata.managedFields ?? []).flatMap(({ manager, operation, time, subresource, fieldsV1 }) => {
    if (!manager || subresource || CONTROLLER.test(manager)) return []
    const owned = valueAt(fieldsV1 as Json, 'f:spec', 'f:template', 'f:spec')
    const writes = isObject(owned) && fields.some((field) => `f:${field}` in owned)
    return writes ? [{ manager, applies: operation === 'Apply', at: time ?? null }] : []
  })
}

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
