import type { Json, JsonObject } from '../../../lib/domain/json'
import type { Resource } from '../resources'
import { isObject } from '../schema'
import { badRequest, invalid, StatusError } from '../status'
import { badPatch, checkKind, strict } from '../storage/prepare'

const GO: Record<string, string> = { string: 'string', number: 'number', boolean: 'bool' }
export const goName = (value: Json) => (Array.isArray(value) ? 'array' : (GO[typeof value] ?? 'object'))

/** A merge patch is an object. */
export function checkMerge(given: Json): asserts given is JsonObject {
  if (given === null) throw badRequest('Invalid JSON Patch')
  if (!isObject(given))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goName(given)} into Go value of type map[string]interface {}`,
    )
}

interface Asked {
  version: string
  subresource: string | undefined
  strictly: boolean
  warnings: string[]
}

/** What a patch leaves, as the server reads it: of this kind and version, unless it is only for the status. */
export function readPatched(resource: Resource, after: Json, asked: Asked): JsonObject {
  const { version, subresource, strictly, warnings } = asked
  if (resource.builtIn || !isObject(after)) {
    checkKind(resource, version, after)
    return after
  }
  const { apiVersion, kind, metadata } = after
  if (apiVersion === undefined || apiVersion === '') throw unnamed()
  if (kind === undefined || kind === '') throw badPatch(after, `Object 'Kind' is missing in '${JSON.stringify(after)}'`)
  if (metadata !== undefined && metadata !== null && !isObject(metadata))
    throw badPatch(after, `json: cannot unmarshal ${goName(metadata)} into Go value of type v1.ObjectMeta`)
  const wanted = `${resource.group}/${version}`
  if (apiVersion !== wanted) {
    const unknown = unknownParts(after)
    if (strictly) throw strict(resource, after, 'patch', unknown)
    warnings.push(...unknown.map((key) => `unknown field "${key}"`))
    if (!subresource) throw other(resource, after, 'apiVersion', wanted)
    return Object.fromEntries(Object.entries(after).filter(([key]) => !unknown.includes(key)))
  }
  if (kind !== resource.kind && !subresource) throw other(resource, after, 'kind', resource.kind)
  return after
}

/** A body of another kind is read, and refused for its kind; of one of another version nothing is known. */
export function checkBody(resource: Resource, version: string, body: JsonObject, warnings: string[]) {
  if (resource.builtIn) return
  const { apiVersion, kind } = body
  if (apiVersion !== undefined && apiVersion !== `${resource.group}/${version}`)
    warnings.push(...unknownParts(body).map((key) => `unknown field "${key}"`))
  else if (kind !== undefined && kind !== resource.kind) throw other(resource, body, 'kind', resource.kind)
}

/** There is no schema of a version that is not served: nothing of the object is known. */
const unknownParts = (object: JsonObject) => ['spec', 'status'].filter((key) => object[key] !== undefined)

function other(resource: Resource, after: JsonObject, field: 'apiVersion' | 'kind', wanted: string): StatusError {
  const message = `Invalid value: ${JSON.stringify(after[field])}: must be ${wanted}`
  const named = { ...resource, kind: field === 'kind' ? String(after.kind) : resource.kind }
  const name = isObject(after.metadata) ? String(after.metadata.name) : ''
  return invalid(named, name, [{ reason: 'FieldValueInvalid', field, message }])
}

function unnamed(): StatusError {
  const message = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}
