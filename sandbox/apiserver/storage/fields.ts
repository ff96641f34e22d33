import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject, keysOf, type Schema } from '../schema'
import { same } from './values'

/** A set of fields as managedFields carry it: `{"f:spec": {"f:replicas": {}}}`; a leaf is `{}`. */
export type Fields = JsonObject

const OBJECT: Schema = { type: 'object', additionalProperties: {} }
const METADATA: Schema = {
  type: 'object',
  properties: {
    labels: OBJECT,
    annotations: OBJECT,
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: { type: 'object' },
    },
  },
}
const UNOWNED = new Set(['apiVersion', 'kind'])
const OWNED_METADATA = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences'])

const whole = new WeakMap<Schema, Schema>()
const bare: Schema = { type: 'object' }

/** The schema of a whole object, metadata included. */
export function wholeSchema(schema: Schema = bare): Schema {
  const known = whole.get(schema)
  if (known) return known
  const made: Schema = { type: 'object', ...schema, properties: { ...schema.properties, metadata: METADATA } }
  whole.set(schema, made)
  return made
}

/** What of an object belongs to field managers. */
export function ownable(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => OWNED_METADATA.has(key))
  return Object.fromEntries([
    ...Object.entries(rest).filter(([key]) => !UNOWNED.has(key)),
    ...(kept.length > 0 ? [['metadata', Object.fromEntries(kept)] as const] : []),
  ])
}

const child = (schema: Schema | undefined, key: string) => schema?.properties?.[key] ?? schema?.additionalProperties

/** An object or list as a map from path elements to parts, or nothing where it is owned as one. */
function parts(value: Json | undefined, schema: Schema | undefined): Map<string, [Json, Schema | undefined]> | null {
  if (isObject(value)) {
    if (schema?.['x-kubernetes-map-type'] === 'atomic') return null
    return new Map(Object.entries(value).map(([key, part]) => [`f:${key}`, [part, child(schema, key)]]))
  }
  if (!Array.isArray(value)) return null
  const kind = schema?.['x-kubernetes-list-type']
  if (kind === 'set') return new Map(value.map((item) => [`v:${JSON.stringify(item)}`, [item, undefined]]))
  if (kind !== 'map' || !schema || !value.every(isObject)) return null
  return new Map(value.map((item) => [`k:${JSON.stringify(keysOf(item, schema))}`, [item, schema.items]]))
}

/**
 * Fields of `after` that are not the same in `before`. `members`: an object or list that was not there is one of them,
 * too, as in an update of a custom resource; an item of a list map always is.
 */
export function changed(
  before: Json | undefined,
  after: Json,
  schema: Schema | undefined,
  members = false,
): Fields | null {
  if (before === after) return null
  const now = parts(after, schema)
  if (!now) return same(before, after) ? null : {}
  const was = parts(before, schema)
  if (now.size === 0) return was?.size === 0 || was?.size ? null : {}
  const out: Fields = {}
  for (const [element, [part, partSchema]] of now) {
    const old = was?.get(element)?.[0]
    const fields = changed(old, part, partSchema, members)
    if (!fields) continue
    const whole = old === undefined && (element.startsWith('k:') || (members && !isLeaf(fields)))
    out[element] = whole ? { '.': {}, ...fields } : fields
  }
  return Object.keys(out).length ? out : null
}

/** Fields of `before` that `after` lacks; a leaf stands for all that was below it. */
export function removed(before: Json, after: Json | undefined, schema: Schema | undefined): Fields | null {
  if (before === after) return null
  const was = parts(before, schema)
  if (!was) return after === undefined ? {} : null
  const now = parts(after, schema)
  if (!now) return {}
  const out: Fields = {}
  for (const [element, [part, partSchema]] of was) {
    const later = now.get(element)?.[0]
    const fields = later === undefined ? {} : removed(part, later, partSchema)
    if (fields) out[element] = fields
  }
  return Object.keys(out).length ? out : null
}

const isLeaf = (fields: Json) => isObject(fields) && Object.keys(fields).length === 0

export function union(a: Fields, b: Fields): Fields {
  const out = { ...a }
  for (const [element, fields] of Object.entries(b)) {
    const known = a[element]
    // An object that was named by itself still is, beside what is in it.
    if (known && isLeaf(known) && !isLeaf(fields)) out[element] = { '.': {}, ...(fields as Fields) }
    else out[element] = isObject(known) && isObject(fields) ? union(known, fields) : fields
  }
  return out
}

/** `a` without what `b` names; a leaf of `b` takes everything below it. Null when nothing is left. */
export function subtract(a: Fields, b: Fields): Fields | null {
  if (isLeaf(b)) return null
  if (isLeaf(a)) return a
  const out: Fields = {}
  for (const [element, fields] of Object.entries(a)) {
    const taken = b[element]
    const rest = taken === undefined ? fields : subtract(fields as Fields, taken as Fields)
    if (rest !== null) out[element] = rest
  }
  const left = Object.keys(out)
  if (left.length === 0) return null
  // An object of which nothing but itself is left is written as a leaf.
  return left.length === 1 && left[0] === '.' ? {} : out
}

/** What `a` names of the leaves of `b`. An object that `a` names by itself is not what is in it. */
export function common(a: Fields, b: Fields, path: string[] = []): string[][] {
  const out: string[][] = []
  for (const [element, fields] of Object.entries(a)) {
    const other = b[element]
    if (other === undefined || element === '.') continue
    const at = [...path, element]
    if (isLeaf(other)) out.push(at)
    else if (!isLeaf(fields)) out.push(...common(fields as Fields, other as Fields, at))
  }
  return out
}

/** "f:spec", "k:{"type":"x"}" -> `.spec[type="x"]`, as conflicts are written. */
export const pathText = (path: string[]) =>
  path
    .map((element) => {
      const rest = element.slice(2)
      if (element.startsWith('f:')) return `.${rest}`
      if (element.startsWith('v:')) return `[=${rest}]`
      const keys = JSON.parse(rest) as Record<string, Json>
      const texts = Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      return `[${texts.join(',')}]`
    })
    .join('')

export { parts }
