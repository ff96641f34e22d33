import { createHash } from 'node:crypto'
import { canonical, isObject, valueAt } from '../changes/canonical'
import type { Json, JsonObject } from '../json'
import { ALL_LATCHED, type Cause } from './table'

/**
 * Digest of everything in a group whose change the latch holds. Two states of a group have the same digest exactly where
 * the latch would let the one become the other. Null for a kind that is not latched.
 */
export function rolloutDigest(group: { kind: string; apiVersion: string; spec?: JsonObject }): string | null {
  const latched = ALL_LATCHED.find(({ kind }) => kind === group.kind)
  if (!latched) return null
  const version = group.apiVersion.endsWith('/v1beta1') ? 'v1beta1' : 'v1beta2'
  const parts = latched.causes[version].map((cause) => watched(group.spec, cause))
  return createHash('sha256')
    .update(canonical([version, parts]))
    .digest('hex')
}

/** In a list, so that what is absent differs from what is null. */
function watched(spec: JsonObject | undefined, { path, except }: Cause): Json {
  const value = valueAt({ spec: spec ?? {} }, ...path.split('.'))
  if (value === undefined) return []
  if (!except || !isObject(value)) return [value]
  return [Object.fromEntries(Object.entries(value).filter(([key]) => !except.includes(key)))]
}
