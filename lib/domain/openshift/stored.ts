import { isObject, same } from '../changes/canonical'
import type { Json, JsonObject } from '../json'

/**
 * Of a merge patch its fields, two levels deep: ["spec.paused", true]; of annotations each. What binds it to a version is none of them.
 */
function fieldsOf(patch: JsonObject): [path: string[], value: Json][] {
  return Object.entries(patch).flatMap(([key, value]): [string[], Json][] =>
    isObject(value)
      ? Object.entries(value).flatMap(([below, wanted]): [string[], Json][] => {
          if (key === 'metadata' && below === 'resourceVersion') return []
          if (key !== 'metadata' || !isObject(wanted)) return [[[key, below], wanted]]
          return Object.entries(wanted).map(([name, value]) => [[key, below, name], value])
        })
      : [[[key], value]],
  )
}

/** The fields that a merge patch decides: "spec.bootImageSkewEnforcement" as its segments. */
export const pathsOf = (patch: JsonObject): string[][] => fieldsOf(patch).map(([path]) => path)

/** Those of them that it sets: of what is taken away, an object names nobody. */
export const setBy = (patch: JsonObject): string[][] =>
  fieldsOf(patch).flatMap(([path, value]) => (value === null ? [] : [path]))

/**
 * Which fields of a merge patch an object does not show as they were sent. An API server that does not know a field answers
 * with success all the same, and may store one half of a patch: OpenShift 4.21 and skew enforcement.
 */
export function notStored(patch: JsonObject, object: object): string[] {
  return fieldsOf(patch)
    .filter(([path, wanted]) => !shows(wanted, path.reduce<Json | undefined>(below, object as JsonObject)))
    .map(([path]) => path.join('.'))
}

const below = (value: Json | undefined, key: string): Json | undefined => (isObject(value) ? value[key] : undefined)

function shows(wanted: Json, have: Json | undefined): boolean {
  if (wanted === null) return have === undefined || have === null
  if (!isObject(wanted)) return same(wanted, have)
  return isObject(have) && Object.entries(wanted).every(([key, value]) => shows(value, have[key]))
}
