import type { Json } from '../../../lib/domain/json'
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

/**
 * Without what `own` named and none of `kept` names any more. An object or list goes with all that is in it, where it is
 * itself such a field: nobody is left who would have it.
 */
export function pruned(value: Json, own: Fields, kept: Fields[], schema: Schema | undefined): Json {
  const below = (element: string): Fields[] =>
    kept.flatMap((fields) => (element in fields ? [fields[element] as Fields] : []))
  const rest = (element: string, part: Json, partSchema: Schema | undefined): Json[] => {
    const mine = own[element] as Fields | undefined
    if (mine === undefined) return [part]
    const others = below(element)
    return others.length ? [pruned(part, mine, others, partSchema)] : []
  }
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) =>
        rest(`f:${key}`, part, child(schema, key)).map((left): [string, Json] => [key, left]),
      ),
    )
  if (!Array.isArray(value)) return value
  return value.flatMap((item) => {
    const element = isObject(item) && schema ? `k:${JSON.stringify(keysOf(item, schema))}` : `v:${JSON.stringify(item)}`
    return rest(element, item, schema?.items)
  })
}
