import type { Json, JsonObject } from '@/lib/domain/json'

/** Reading fields of objects that may be incomplete: never throws, never guesses. */
export function at(value: unknown, ...path: string[]): Json | undefined {
  let here: unknown = value
  for (const key of path) {
    if (here === null || typeof here !== 'object' || Array.isArray(here)) return undefined
    here = (here as JsonObject)[key]
  }
  return here as Json | undefined
}

export const text = (value: unknown, ...path: string[]): string | undefined => {
  const found = at(value, ...path)
  return typeof found === 'string' && found !== '' ? found : undefined
}

export const count = (value: unknown, ...path: string[]): number => {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : 0
}

export const items = (value: unknown, ...path: string[]): JsonObject[] => {
  const found = at(value, ...path)
  return Array.isArray(found)
    ? found.filter((i): i is JsonObject => i !== null && typeof i === 'object' && !Array.isArray(i))
    : []
}

export const strings = (value: unknown, ...path: string[]): Record<string, string> => {
  const found = at(value, ...path)
  if (found === null || typeof found !== 'object' || Array.isArray(found)) return {}
  return Object.fromEntries(Object.entries(found).filter((e): e is [string, string] => typeof e[1] === 'string'))
}
