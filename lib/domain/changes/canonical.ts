import type { Json, JsonObject } from '../json'

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON with sorted keys: equal values have equal texts, whatever order they were written in. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const keys = written(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

/** Whether their canonical texts are equal; without writing them, because whole templates are held against each other at every level. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]))
  if (!isObject(a) || !isObject(b)) return canonical(a) === canonical(b)
  const keys = written(a)
  return keys.length === written(b).length && keys.every((key) => isWritten(b, key) && same(a[key], b[key]))
}

const isWritten = (value: JsonObject, key: string): boolean => Object.hasOwn(value, key) && value[key] !== undefined
const written = (value: JsonObject): string[] => Object.keys(value).filter((key) => value[key] !== undefined)

/** Whether a number in it is not what was written: one beyond 2^53 is rounded when JSON is read, and 1e999 is lost. */
export function inexact(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
  if (Array.isArray(value)) return value.some(inexact)
  return isObject(value) && Object.values(value).some(inexact)
}

/**
 * Without what is empty: in the typed objects of Cluster API and kubeadm an absent struct, list or text and an empty one
 * mean the same, but for the keys in `kept`. Not for anybody else's: there, `{}` may switch something on.
 */
export function pruned(value: Json | undefined, kept: readonly string[] = []): Json | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => pruned(item, kept) ?? item)
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const left = pruned(inner, kept) ?? (kept.includes(key) && Array.isArray(inner) ? inner : undefined)
    return left === undefined ? [] : [[key, left] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** The value at a path of keys; undefined wherever it is not there. */
export function valueAt(source: Json | undefined, ...keys: (string | number)[]): Json | undefined {
  return keys.reduce<Json | undefined>((value, key) => {
    if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, source)
}
