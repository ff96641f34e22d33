import type { Json } from '../../../lib/domain/json'
import type { Schema } from '../schema'

const string = (more: Schema = {}): Schema => ({ type: 'string', ...more })
export const text = (minLength: number, maxLength: number, pattern?: string): Schema => ({
  type: 'string',
  minLength,
  maxLength,
  ...(pattern ? { pattern } : {}),
})
export const oneOf = (...values: Json[]): Schema => ({ type: 'string', enum: values })
export const boolean: Schema = { type: 'boolean' }
export const int32 = (minimum?: number, more: Schema = {}): Schema => ({
  type: 'integer',
  format: 'int32',
  ...(minimum === undefined ? {} : { minimum }),
  ...more,
})
export const dateTime: Schema = { type: 'string', format: 'date-time' }
export const intOrPercent: Schema = { 'x-kubernetes-int-or-string': true }
const strings: Schema = { type: 'object', additionalProperties: { type: 'string' } }
export const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })
export const listMap = (keys: string[], items: Schema, more: Schema = {}): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  ...more,
})
export const object = (properties: Record<string, Schema>, required?: string[], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required ? { required } : {}),
  ...more,
})
/** Fields of no interest here are kept as they come. */
export const open = (properties: Record<string, Schema> = {}, required?: string[]): Schema =>
  object(properties, required, { 'x-kubernetes-preserve-unknown-fields': true })

const conditions = listMap(
  ['type'],
  object(
    {
      type: text(1, 316),
      status: oneOf('True', 'False', 'Unknown'),
      observedGeneration: { type: 'integer', minimum: 0 },
      lastTransitionTime: dateTime,
      reason: text(0, 1024),
      message: { type: 'string', maxLength: 32768 },
      severity: string(),
    },
    ['type', 'status'],
  ),
)

/** The status of a kind whose schema is not written out: conditions by type, the rest as it comes. */
export const openStatus = open({ conditions })
/** For kinds that Drydock only reads. */
export const openKind: Schema = open({ spec: open(), status: openStatus })

export const contractRef = (min = 1): Schema =>
  object(
    {
      apiGroup: text(min, 253),
      kind: text(min, 63, '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$'),
      name: text(min, 253, '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'),
    },
    ['apiGroup', 'kind', 'name'],
  )

export const templateMetadata = object({ labels: strings, annotations: strings })

export const labelSelector = object({
  matchLabels: strings,
  matchExpressions: list(object({ key: string(), operator: string(), values: list(string()) }, ['key', 'operator'])),
})
