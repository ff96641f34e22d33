import type { Json, JsonObject } from '../json'

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]))
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && equal(a[key], b[key]))
  }
  return a === b
}

/** RFC 7386 merge patch from one object to another, as Kubernetes' own library makes it: in lists, objects lose what is null. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [a, b] = [from[key], to[key]]
    if (!(key in to)) patch[key] = null
    else if (key in from && equal(a, b)) continue
    else if (isObject(a) && isObject(b)) patch[key] = mergePatch(a, b)
    else patch[key] = Array.isArray(b) ? withoutNulls(b) : (b ?? null)
  }
  return patch
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(
    (entry): entry is [string, Json] => entry[1] !== null && entry[1] !== undefined,
  )
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]))
}

/** What an object is after a merge patch. */
export function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[key]
    else if (isObject(value)) result[key] = merged(isObject(result[key]) ? result[key] : {}, value)
    else result[key] = value
  }
  return result
}
