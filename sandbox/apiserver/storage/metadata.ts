import { randomInt, randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import type { Cause } from '../status'

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

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const LABEL_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

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
    causes.push(bad('metadata.name', metadata.name, 'must be no more than 253 bytes'))
  else if (!old && !SUBDOMAIN.test(metadata.name)) causes.push(bad('metadata.name', metadata.name, SUBDOMAIN_TEXT))
  for (const value of Object.values(metadata.labels ?? {})) {
    if (value === old?.labels?.[value]) continue
    if (typeof value !== 'string' || value.length > 63)
      causes.push(bad('metadata.labels', value, 'must be no more than 63 bytes'))
    else if (!LABEL_VALUE.test(value)) causes.push(bad('metadata.labels', value, LABEL_TEXT))
  }
  for (const [key, value] of Object.entries(metadata.annotations ?? {}))
    if (typeof value !== 'string') causes.push(bad(`metadata.annotations.${key}`, value, 'must be a string'))
  if (!old) return causes
  if (typeof given.uid === 'string' && given.uid && given.uid !== old.uid)
    causes.push(bad('metadata.uid', given.uid, 'field is immutable'))
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer))
  if (old.deletionTimestamp && added.length)
    causes.push({
      reason: 'FieldValueForbidden',
      field: 'metadata.finalizers',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
    })
  return causes
}
