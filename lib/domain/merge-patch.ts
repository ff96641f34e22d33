import { isObject } from './changes/canonical'
import type { Json, JsonObject } from './json'

/** The merge patch that `kubectl apply` makes: all that is given, and nulls for what was given before and is no longer. */
export function applyPatch(before: JsonObject, given: JsonObject): JsonObject {
  const gone = Object.keys(before).filter((key) => !(key in given))
  const patched = Object.entries(given).map(([key, value]): [string, Json] => {
    const was = before[key]
    return [key, isObject(value) && isObject(was) ? applyPatch(was, value) : value]
  })
  return Object.fromEntries([...gone.map((key): [string, Json] => [key, null]), ...patched])
}
