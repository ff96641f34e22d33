import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject, keysOf, type Schema } from '../schema'
import type { Fields } from './fields'

const child = (schema: Schema | undefined, key: string) => schema?.properties?.[key] ?? schema?.additionalProperties

/** The structured merge of server-side apply and of ApplyConfiguration: maps by key, list maps by their keys, sets as unions. */
export function structuredMerge(live: Json | undefined, applied: Json, schema: Schema | undefined): Json {
  if (isObject(applied)) {
    if (!isObject(live) || schema?.['x-kubernetes-map-type'] === 'atomic') return applied
    const out = { ...live }
    for (const [key, value] of Object.entries(applied)) out[key] = structuredMerge(live[key], value, child(schema, key))
    return out
  }
  if (!Array.isArray(applied) || !Array.isArray(live)) return applied
  const kind = schema?.['x-kubernetes-list-type']
  if (kind === 'set') return [...live, ...applied.filter((item) => !live.includes(item))]
  if (kind !== 'map' || !schema) return applied
  const id = (item: Json) => (isObject(item) ? JSON.stringify(keysOf(item, schema)) : JSON.stringify(item))
  const given = new Map(applied.map((item) => [id(item), item]))
  const kept = live.map((item) => {
    const more = given.get(id(item))
    given.delete(id(item))
    return more === undefined ? item : structuredMerge(item, more, schema.items)
  })
  return [...kept, ...given.values()]
}

/** Without the fields named; containers that become empty by it go as well. */
export function without(value: Json, fields: Fields, schema: Schema | undefined): Json | undefined {
  if (Object.keys(fields).every((element) => element === '.')) return undefined
  if (isObject(value)) {
    const out: JsonObject = {}
    for (const [key, part] of Object.entries(value)) {
      const taken = fields[`f:${key}`]
      const rest = taken === undefined ? part : without(part, taken as Fields, child(schema, key))
      if (rest !== undefined) out[key] = rest
    }
    return Object.keys(out).length ? out : undefined
  }
  if (!Array.isArray(value)) return value
  const out = value.flatMap((item): Json[] => {
    const element = isObject(item) && schema ? `k:${JSON.stringify(keysOf(item, schema))}` : `v:${JSON.stringify(item)}`
    const taken = fields[element] as Fields | undefined
    if (taken === undefined) return [item]
    // A list map item goes whole with the field that stands for itself.
    const rest = '.' in taken ? undefined : without(item, taken, schema?.items)
    return rest === undefined ? [] : [rest]
  })
  return out.length ? out : undefined
}
