import { createHash } from 'node:crypto'
import { canonical, isObject, valueAt } from '../changes/canonical'
import type { Json, JsonObject } from '../json'
import { isPool } from './hold'
import { ALL_LATCHED, type Cause } from './table'

/**
 * Digest of everything in a group whose change the latch holds. Two states of a group have the same digest exactly where
 * the latch would let the one become the other. Null for a kind that is not latched. The OS image that is built for a pool stands
 * nowhere on it, so that no latch sees it: it counts all the same, and is told apart (`sameButImage`).
 */
export function rolloutDigest(group: Digested): string | null {
  const latched = ALL_LATCHED.find(({ kind }) => kind === group.kind)
  if (!latched) return null
  const version = group.apiVersion.endsWith('/v1beta1') ? 'v1beta1' : 'v1beta2'
  const parts = latched.causes[version].map((cause) => watched(group.spec, cause))
  const digest = hash(canonical([version, parts]))
  const image = isPool(group) ? group.built?.image : null
  return image ? `${digest}${IMAGE}${hash(image)}` : digest
}

interface Digested {
  kind: string
  apiVersion: string
  spec?: JsonObject
  built?: { image: string | null } | null
}

const IMAGE = '+'
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** It is of an image that was built as well. */
export const namesImage = (digest: string): boolean => digest.includes(IMAGE)

/** Two digests, or what is made of them, that differ in nothing but the image that is built. */
export const sameButImage = (a: string, b: string): boolean => a !== b && a.split(IMAGE)[0] === b.split(IMAGE)[0]

/** In a list, so that what is absent differs from what is null. */
function watched(spec: JsonObject | undefined, { path, except }: Cause): Json {
  const value = valueAt({ spec: spec ?? {} }, ...path.split('.'))
  if (value === undefined) return []
  if (!except || !isObject(value)) return [value]
  return [Object.fromEntries(Object.entries(value).filter(([key]) => !except.includes(key)))]
}
