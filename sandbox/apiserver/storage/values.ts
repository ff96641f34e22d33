import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject } from '../schema'

/** Deep equality that stops at shared references: unchanged parts of an object are shared between its versions. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item: unknown, i) => same(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a).filter((key) => a[key] !== undefined)
  if (keys.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false
  return keys.every((key) => same(a[key], b[key]))
}

/** RFC 7386. Never changes its arguments; unchanged parts are shared. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const base: JsonObject = isObject(target) ? target : {}
  let out = base
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue
    const before = base[key]
    if (value === null) {
      if (before === undefined) continue
      if (out === base) out = { ...base }
      delete out[key]
      continue
    }
    const after = mergePatch(before ?? null, value)
    if (after === before) continue
    if (out === base) out = { ...base }
    out[key] = after
  }
  return out === base && !isObject(target) ? {} : out
}
