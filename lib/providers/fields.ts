import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'

type Source = Json | KubeObject | undefined

/** The value at a path of an object that somebody else wrote; undefined wherever it is not what we think. */
export function at(source: Source, ...path: string[]): Json | undefined {
  let value: unknown = source
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value as Json | undefined
}

export function text(source: Source, ...path: string[]): string | null {
  const value = at(source, ...path)
  return typeof value === 'string' && value !== '' ? value : null
}

export function count(source: Source, ...path: string[]): number | null {
  const value = at(source, ...path)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function items(source: Source, ...path: string[]): Json[] {
  const value = at(source, ...path)
  return Array.isArray(value) ? value : []
}

/** An int-or-string field as text: 1, "25%". */
export function intOrString(source: Source, ...path: string[]): string | null {
  const value = at(source, ...path)
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null
}
