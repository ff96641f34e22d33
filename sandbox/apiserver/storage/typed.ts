import type { Json } from '../../../lib/domain/json'
import { isObject, keysOf, type Schema } from '../schema'

/**
 * Why an object cannot be applied: what it holds is of another kind, or items of a list cannot be told apart.
 * Upstream: structured-merge-diff, which looks at a configuration before anything else does.
 */
export function untyped(value: Json, schema: Schema | undefined, path = ''): string | undefined {
  if (!schema || value === null) return undefined
  if (schema.type === 'object' && !isObject(value)) return `${path}: expected map, got &{${shown(value)}}`
  if (schema.type === 'array' && !Array.isArray(value)) return `${path}: expected list, got &{${shown(value)}}`
  if (Array.isArray(value)) return badList(value, schema, path)
  if (!isObject(value)) return undefined
  for (const [key, part] of Object.entries(value)) {
    const why = untyped(part, schema.properties?.[key] ?? schema.additionalProperties, `${path}.${key}`)
    if (why) return why
  }
  return undefined
}

const shown = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

function badList(value: Json[], schema: Schema, path: string): string | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const seen = new Set<string>()
  for (const [i, item] of value.entries()) {
    if (keys.length && isObject(item)) {
      const named = keysOf(item, schema)
      if (Object.values(named).every((key) => key === null))
        return `${path}: element ${i}: associative list with keys has an element that omits all key fields [${keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`
      const text = Object.entries(named).map(([key, part]) => `${key}=${JSON.stringify(part)}`)
      const id = `[${text.join(',')}]`
      if (seen.has(id)) return `${path}: duplicate entries for key ${id}`
      seen.add(id)
    }
    const why = untyped(item, schema.items, `${path}[${i}]`)
    if (why) return why
  }
  return undefined
}
