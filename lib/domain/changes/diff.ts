import type { Json, JsonObject } from '../json'
import { isObject, same, valueAt } from './canonical'
import { bootstrapPart, infrastructurePart, machinePart, type Revision } from './revision'
import type { ChangedObject, FieldChange } from './types'

const plain = /^[A-Za-z0-9_-]+$/

/** "a.b[0]": keys with dots or slashes in quotes, so that a path can be read back. */
function below(path: string, key: string | number): string {
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

function walk(
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
  const part = (of: (spec: JsonObject) => JsonObject, spec: JsonObject | undefined) => (spec ? of(spec) : undefined)
  return [
    ...walk('machine', '', machinePart(current.machine), machinePart(desired.machine)),
    ...walk(
      'infrastructure',
      '',
      part(infrastructurePart, current.infrastructure),
      part(infrastructurePart, desired.infrastructure),
    ),
    ...walk('bootstrap', '', part(bootstrapPart, current.bootstrap), part(bootstrapPart, desired.bootstrap)),
  ]
}

/** Whether an object has what a change wants of it. Secrets are masked in what is stored, so they cannot be compared. */
export function hasDesired(revision: Revision, change: FieldChange): boolean {
  if (change.secret) return true
  const source = {
    machine: () => machinePart(revision.machine),
    infrastructure: () => infrastructurePart(revision.infrastructure ?? {}),
    bootstrap: () => bootstrapPart(revision.bootstrap ?? {}),
  }[change.object]()
  return same(valueAt(source, ...pathKeys(change.path)), change.desired)
}
