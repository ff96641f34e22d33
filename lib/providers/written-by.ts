import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from './openshift/loose'

/**
 * Field manager that a field of the object is of; null: nobody is known. Who changes a value takes the field from all others, so that
 * Drydock is named only where nobody has written it since; of several that say the same, another is.
 */
export function writtenBy(object: KubeObject | undefined, path: readonly string[]): string | null {
  const managers = (object?.metadata.managedFields ?? []).flatMap(({ manager, subresource, fieldsV1 }) =>
    manager && !subresource && at(fieldsV1, ...path.map((key) => `f:${key}`)) !== undefined ? [manager] : [],
  )
  return managers.find((manager) => manager !== DRYDOCK) ?? managers[0] ?? null
}

/** The same, as a part of what is known of a field; nothing where nobody is known. */
export const byWhom = (object: KubeObject, ...path: string[]): { by?: string } => {
  const by = writtenBy(object, path)
  return by === null ? {} : { by }
}

/** As Drydock's own writes name themselves. */
export const DRYDOCK = 'drydock'

/**
 * When Drydock last set a field of the object to what it was not, by its API server's clock, to the second; undefined: it does not
 * tell. A write that only takes fields away leaves that as it was.
 */
export const writtenAt = ({ managedFields = [] }: KubeObject['metadata']): string | undefined =>
  managedFields
    .flatMap(({ manager, subresource, time }) => (manager === DRYDOCK && !subresource && time ? [time] : []))
    .sort()
    .at(-1)
