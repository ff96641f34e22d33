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
export const managed = (object: KubeObject): string | null => lastWriter(object)?.manager ?? null

/** When that was, to the second. */
export const writtenAt = (object: KubeObject): string | null => lastWriter(object)?.time ?? null

function lastWriter(object: KubeObject) {
  const writers = (object.metadata.managedFields ?? []).filter(
    (entry) =>
      entry.manager && !entry.subresource && !CONTROLLER.test(entry.manager) && ownsMachines(entry.fieldsV1 as Json),
  )
  return writers.reduce<(typeof writers)[number] | undefined>(
    (newest, entry) => (newest && (newest.time ?? '') > (entry.time ?? '') ? newest : entry),
    undefined,
  )
}

/** Field manager that wrote the version of a managed Cluster, as managedFields tell; null where only controllers did. */
export function versionAuthor(cluster: KubeObject): string | null {
  const owns = (fields: Json | undefined) => {
    const topology = isObject(fields) && isObject(fields['f:spec']) ? fields['f:spec']['f:topology'] : undefined
    return isObject(topology) && 'f:version' in topology
  }
  const writers = (cluster.metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      manager && !subresource && !isController(manager) && manager !== 'capi-topology' && owns(fieldsV1 as Json),
  )
  return writers.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager ?? null
}

/** Field manager, but for controllers, that wrote to the object after `since`, as managedFields tell, which is to the second. */
export function writerSince({ metadata }: KubeObject, since: Date): string | null {
  const writers = (metadata.managedFields ?? []).flatMap(({ manager, subresource, time }) =>
    manager && !subresource && !isController(manager) && time && Date.parse(time) > since.getTime()
      ? [{ manager, time }]
      : [],
  )
  return writers.sort((a, b) => (a.time < b.time ? 1 : -1))[0]?.manager ?? null
}

/**
 * Whether its spec was edited, by whoever wrote to it after that moment, as managed fields tell, which is to the second: also somebody
 * who edited it before, and wrote something else since.
 */
export const specWrittenSince = ({ metadata }: KubeObject, since: number): boolean =>
  metadata.generation !== 1 &&
  (metadata.managedFields ?? []).some(
    ({ subresource, time, fieldsV1 }) =>
      !subresource &&
      time !== undefined &&
      Date.parse(time) > Math.max(since, Date.parse(metadata.creationTimestamp)) &&
      valueAt(fieldsV1 as Json, 'f:spec') !== undefined,
  )

const isController = (manager: string): boolean => CONTROLLER.test(manager)

function ownsMachines(fields: Json | undefined): boolean {
  const spec = isObject(fields) ? fields['f:spec'] : undefined
  return isObject(spec) && Object.keys(spec).some((key) => !HARMLESS.includes(key))
}
