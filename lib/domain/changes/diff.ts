import type { Json, JsonObject } from '../json'
import { canonical, isObject, pruned, same, valueAt } from './canonical'
import { partOf, type Revision } from './revision'
import type { ChangedObject, FieldChange } from './types'

const plain = /^[A-Za-z0-9_-]+$/

/** "a.b[0]": keys with dots or slashes in quotes, so that a path can be read back. */
export function below(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!plain.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path ? `${path}.${key}` : key
}

/** The keys of a path that `below` wrote. */
export function pathKeys(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([A-Za-z0-9_-]+)/g)].map((match) => {
    if (match[1] !== undefined) return Number(match[1])
    return match[2] === undefined ? match[3]! : (JSON.parse(match[2]) as string)
  })
}

/** Which fields differ between two values, at and below a path. */
export function walk(
  object: ChangedObject,
  path: string,
  current: Json | undefined,
  desired: Json | undefined,
): FieldChange[] {
  if (same(current, desired) && (current === undefined) === (desired === undefined)) return []
  if (isObject(current) && isObject(desired)) {
    const keys = [...new Set([...Object.keys(current), ...Object.keys(desired)])].sort()
    return keys.flatMap((key) => walk(object, below(path, key), current[key], desired[key]))
  }
  if (Array.isArray(current) && Array.isArray(desired)) {
    const length = Math.max(current.length, desired.length)
    return Array.from({ length }, (_, i) => walk(object, below(path, i), current[i], desired[i])).flat()
  }
  return [
    { object, path, ...(current === undefined ? {} : { current }), ...(desired === undefined ? {} : { desired }) },
  ]
}

/** Which fields differ between two revisions, in Cluster API's own terms. Values are real: mask before storing. */
export function changesBetween(current: Revision, desired: Revision): FieldChange[] {
  return (['machine', 'infrastructure', 'bootstrap'] as const).flatMap((object) =>
    walk(object, '', partOf(current, object), partOf(desired, object)),
  )
}

/**
 * The same as fingerprints take it. Of a control plane Drydock compares infrastructure templates, and Cluster API the live
 * machine, in which a provider may have left out what is empty: that does not count. Such templates cannot be edited, and
 * naming another one is a change in any case.
 */
export function askedBetween(current: Revision, desired: Revision): FieldChange[] {
  const [before, after] = [current, desired].map((side): Revision => {
    const { workers, infrastructure } = side
    return workers || !infrastructure ? side : { ...side, infrastructure: (pruned(infrastructure) ?? {}) as JsonObject }
  })
  return changesBetween(before!, after!)
}

/** Of a text, under a key that stays on the server. */
export type Digest = (text: string) => string

/** What the digest of a masked value is made of: the same value in another place or group has another digest. */
export const maskedText = (pair: string, { object, path }: FieldChange, value: Json | undefined): string =>
  canonical([pair, object, path, value ?? null])

/**
 * Whether an object has what a change wants of it. What a provider added inside of its own object (defaults) does not count;
 * bootstrap configs have no defaults (inplace_canupdatemachine.go). A masked value is compared by the digest that was stored
 * with it; one without is not taken for what was approved. `pair` is the fingerprint of the pair that the change belongs to.
 */
export function hasDesired(revision: Revision, change: FieldChange, pair: string, digest: Digest): boolean {
  const value = valueAt(partOf(revision, change.object), ...pathKeys(change.path))
  if (!change.secret || !('desired' in change))
    return change.object === 'infrastructure' && !(revision.workers && value === undefined)
      ? has(value, change.desired, revision.workers === true)
      : same(value, change.desired)
  return value !== undefined && change.digest === digest(maskedText(pair, change, value))
}

/** `whole`: also what is empty has to be there. Of a control plane a provider may have left it out (askedBetween). */
function has(value: Json | undefined, wanted: Json | undefined, whole: boolean): boolean {
  if (isObject(value) && isObject(wanted))
    return Object.entries(wanted).every(([key, inner]) =>
      has(Object.hasOwn(value, key) ? value[key] : undefined, inner, whole),
    )
  if (Array.isArray(value) && Array.isArray(wanted))
    return value.length === wanted.length && wanted.every((item, i) => has(value[i], item, whole))
  return same(value, wanted) || (!whole && value === undefined && pruned(wanted) === undefined)
}
