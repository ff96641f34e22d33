/** As Postgres gives it back: it stores no NUL, and half a surrogate pair becomes U+FFFD on the way. */
export const storable = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')

/** Keys that would not come back as they were: whoever copies objects on the way to the database takes them for its own. */
const storableKey = (key: string): string => (key === '__proto__' || key === 'constructor' ? `${key}_` : storable(key))

const DEEPEST = 64

/**
 * Every string of a value, keys too; what is no plain object or list stays what it is. What is referred to several
 * times is gone through once: the value may come from a stranger.
 */
export function storableDeep(value: unknown, depth = 0, seen = new Map<object, unknown>()): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (seen.has(value)) return seen.get(value)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    seen.set(value, list)
    for (const item of value) list.push(storableDeep(item, depth + 1, seen))
    return list
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  seen.set(value, object)
  for (const [key, item] of Object.entries(value)) object[storableKey(key)] = storableDeep(item, depth + 1, seen)
  return Object.setPrototypeOf(object, Object.prototype)
}

/** The first letter as at the beginning of a sentence. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
