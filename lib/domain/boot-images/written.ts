import type { Json, JsonObject } from '../json'

/**
 * How the Machine Config Operator writes a provider spec: it reads what it knows and writes that out again, so whatever it does
 * not know is gone, and what it always writes appears. A key ends in "!" where it is always written, in "?" where what
 * is given is written even if it is empty; all others only if they are not empty.
 */
export type Shape =
  'text' | 'whole' | 'truth' | 'any' | { [key: string]: Shape } | readonly [Shape] | { readonly map: true }

export const TEXTS: Shape = { map: true }

export class MalformedError extends Error {}

const isMap = (shape: Shape): shape is { readonly map: true } =>
  typeof shape === 'object' && !Array.isArray(shape) && (shape as { map?: unknown }).map === true

const kindOf = (value: Json): string => (Array.isArray(value) ? 'list' : typeof value)

function wrong(path: string, value: Json, wanted: string): never {
  throw new MalformedError(`${path || 'it'} should be ${wanted}, and is a ${kindOf(value)}`)
}

/** A value in the form in which the operator writes it; null stands for what is absent. Throws MalformedError where it cannot read it. */
export function written(shape: Shape, value: Json | undefined, path = ''): Json {
  const none = value === undefined || value === null
  if (shape === 'any') return value ?? null
  if (shape === 'text') return none ? '' : typeof value === 'string' ? value : wrong(path, value, 'text')
  if (shape === 'truth') return none ? false : typeof value === 'boolean' ? value : wrong(path, value, 'true or false')
  if (shape === 'whole') return none ? 0 : Number.isInteger(value) ? value : wrong(path, value, 'a whole number')
  if (Array.isArray(shape)) {
    if (none) return null
    if (!Array.isArray(value)) wrong(path, value, 'a list')
    return value.map((item, i) => written((shape as readonly [Shape])[0], item, `${path}[${i}]`))
  }
  if (!none && (typeof value !== 'object' || Array.isArray(value))) wrong(path, value, 'an object')
  const given = (value ?? {}) as JsonObject
  if (isMap(shape)) {
    if (none) return null
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [key, written('text', item, `${path}.${key}`)]),
    )
  }
  const result: JsonObject = {}
  for (const [field, inner] of Object.entries(shape as { [key: string]: Shape })) {
    const mark = /[!?]$/.exec(field)?.[0]
    const key = mark ? field.slice(0, -1) : field
    if (mark === '?' && (given[key] === undefined || given[key] === null)) continue
    const item = written(inner, given[key], path ? `${path}.${key}` : key)
    if (mark || !isEmpty(item)) result[key] = item
  }
  return result
}

const isEmpty = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)
