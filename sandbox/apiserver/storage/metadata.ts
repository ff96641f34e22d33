import { randomInt, randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import type { Cause } from '../status'
import { badKey, badLabelValue, badName } from './names'

export type Metadata = SandboxObject['metadata'] & { generateName?: string; deletionGracePeriodSeconds?: number }

export const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789'
const suffix = () => Array.from({ length: 5 }, () => SUFFIX[randomInt(SUFFIX.length)]).join('')

/** The metadata of a new object: what the writer gave, and what only the server gives. */
export function created(given: JsonObject, namespace: string | undefined, generation: boolean): Metadata {
  const { name, generateName, labels, annotations, ownerReferences, finalizers } = given
  const kept = Object.entries({ generateName, labels, annotations, ownerReferences, finalizers })
  return {
    name: typeof name === 'string' && name ? name : typeof generateName === 'string' ? generateName + suffix() : '',
    ...(namespace ? { namespace } : {}),
    uid: randomUUID(),
    resourceVersion: '',
    ...(generation ? { generation: 1 } : {}),
    creationTimestamp: now(),
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined && value !== null)),
  } as unknown as Metadata
}

/** The metadata after an update: only these parts can change. */
export function updated(old: Metadata, given: JsonObject): Metadata {
  const kept: Record<string, unknown> = { ...old }
  for (const key of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const) {
    const value = given[key]
    const empty = !value || (isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && !value.length)
    if (empty) delete kept[key]
    else kept[key] = value
  }
  return kept as unknown as Metadata
}

const bad = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
})

export function checkMetadata(metadata: Metadata, old: Metadata | undefined, given: JsonObject): Cause[] {
  const causes: Cause[] = []
  if (!metadata.name)
    causes.push({
      reason: 'FieldValueRequired',
      field: 'metadata.name',
      message: 'Required value: name or generateName is required',
    })
  else if (metadata.name.length > 253)
    causes.push(bad('metadata.name', metadata.name, 'must be no more than 253 characters'))
  else if (!old)
    causes.push(...badName(metadata.name, 'subdomain').map((why) => bad('metadata.name', metadata.name, why)))
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (value === old?.labels?.[key]) continue
    causes.push(...badKey(key).map((why) => bad('metadata.labels', key, why)))
    causes.push(...badLabelValue(value).map((why) => bad('metadata.labels', value, why)))
  }
  for (const key of Object.keys(metadata.annotations ?? {}))
    causes.push(...badKey(key.toLowerCase()).map((why) => bad('metadata.annotations', key, why)))
  // An update looks at them three times, and says it three times.
  if (old) causes.push(...causes, ...causes)
  for (const { uid } of metadata.ownerReferences ?? [])
    if (!uid) causes.push(bad('metadata.ownerReferences.uid', '', 'must not be empty'))
  return old ? [...causes, ...changes(metadata, old, given)] : causes
}

/** What an update may not change. The server checks this twice, and says it twice. */
function changes(metadata: Metadata, old: Metadata, given: JsonObject): Cause[] {
  const causes: Cause[] = []
  if (typeof given.uid === 'string' && given.uid && given.uid !== old.uid)
    causes.push(bad('metadata.uid', given.uid, 'field is immutable'))
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer))
  if (old.deletionTimestamp && added.length)
    causes.push({
      reason: 'FieldValueForbidden',
      field: 'metadata.finalizers',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
    })
  return [...causes, ...causes]
}

const FIELDS = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
  'managedFields',
])

/** Fields of metadata that there are none of. */
export const unknownMetadata = (metadata: unknown): string[] =>
  isObject(metadata) ? Object.keys(metadata).filter((key) => !FIELDS.has(key)) : []

/** What Go's decoder says of labels and annotations that are no text. */
export function metadataDecodingError(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return undefined
  for (const field of ['labels', 'annotations']) {
    const whole = metadata[field]
    const of = (wrong: unknown, type: string) => {
      const kind = typeof wrong === 'boolean' ? 'bool' : Array.isArray(wrong) ? 'array' : typeof wrong
      return `json: cannot unmarshal ${kind} into Go struct field ObjectMeta.${field} of type ${type}`
    }
    if (whole !== undefined && whole !== null && !isObject(whole)) return of(whole, 'map[string]string')
    const wrong = Object.values(whole ?? {}).find((value) => value !== null && typeof value !== 'string')
    if (wrong !== undefined) return of(wrong, 'string')
  }
  return undefined
}
