import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import type { Others, Resource } from '../resources'
import { BLOCKING, isObject, prune, validate, withDefaults, type Schema } from '../schema'
import { badRequest, invalid, NOT_CHECKED, StatusError, type Cause } from '../status'
import { checkMetadata, metadataDecodingError, unknownMetadata, type Metadata } from './metadata'
import { decodingError, STRUCTS } from '../schemas/go'
import { untyped } from './typed'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'
/** How the object came: it decides how an unknown field is refused. */
export type Form = 'body' | 'patch' | 'apply'

const openSchema = (schema: Schema | undefined): Schema | undefined =>
  schema && {
    type: 'object',
    ...schema,
    properties: { apiVersion: {}, kind: {}, metadata: {}, ...schema.properties },
  }

const schemas = new WeakMap<Schema, Schema>()
function schemaOf(resource: Resource): Schema | undefined {
  if (!resource.schema) return undefined
  const known = schemas.get(resource.schema) ?? openSchema(resource.schema)!
  schemas.set(resource.schema, known)
  return known
}

/** Pruned and defaulted; unknown fields are refused, warned about or dropped. */
export function decode(
  resource: Resource,
  object: JsonObject,
  form: Form,
  validation: FieldValidation,
  warnings: string[],
): JsonObject {
  const schema = schemaOf(resource)
  const unknown = unknownMetadata(object.metadata).map((key) => `metadata.${key}`)
  const unread = metadataDecodingError(object.metadata)
  if (unread)
    throw form === 'patch' && !resource.builtIn ? badPatch(object, unread) : badRequest(cannotRead(resource, unread))
  const pruned = prune(object, schema, unknown)
  if (form === 'apply') {
    const why = unknown.length ? `.${unknown[0]}: field not declared in schema` : untyped(object, schema)
    if (why) throw undeclared(resource, object, why)
  }
  if (unknown.length && validation === 'Strict') throw strict(resource, object, form, unknown)
  if (validation === 'Warn') warnings.push(...unknown.map((field) => `unknown field "${field}"`))
  return withDefaults(pruned, schema) as JsonObject
}

const cannotRead = ({ kind, versions }: Resource, why: string) =>
  `${kind} in version "${versions[0]}" cannot be handled as a ${kind}: ${why}`

export function strict(resource: Resource, object: JsonObject, form: Form, unknown: string[]): StatusError {
  const fields = unknown.sort().map((field) => `unknown field "${field}"`)
  const why = `strict decoding error: ${fields.join(', ')}`
  return form === 'body' ? badRequest(cannotRead(resource, why)) : badPatch(object, why)
}

/** What a patch leaves cannot be read; the refusal quotes all of it. */
export function badPatch(object: JsonObject, why: string): StatusError {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${why}`
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  })
}

function undeclared(resource: Resource, object: JsonObject, why: string): StatusError {
  const { name, namespace } = object.metadata as JsonObject
  const kind = `${resource.group ? `${resource.group}/` : ''}${resource.versions[0]}, Kind=${resource.kind}`
  const message = `failed to create typed patch object (${namespace ?? ''}/${name}; ${kind}): ${why}`
  return new StatusError(500, '', message)
}

/** Refuses what the schema, the rules or the metadata do not allow. */
export function check(resource: Resource, object: SandboxObject, old: SandboxObject | undefined, given: JsonObject) {
  const causes: Cause[] = checkMetadata(object.metadata as Metadata, old?.metadata as Metadata | undefined, given)
  const schema = schemaOf(resource)
  for (const key of schema?.required ?? [])
    if ((object as unknown as JsonObject)[key] === undefined)
      causes.push({ reason: 'FieldValueRequired', field: key, message: 'Required value' })
  for (const [key, part] of Object.entries(schema?.properties ?? {})) {
    const value = (object as unknown as Record<string, Json | undefined>)[key]
    // What an earlier version of the object already held is not held against this write.
    if (value === undefined || value === (old as unknown as JsonObject | undefined)?.[key]) continue
    // Status is looked at by itself, and called by what is in it.
    causes.push(...validate(value, part, key, [], key === 'status' && resource.status ? '' : key))
  }
  const blocked = causes.some((cause) => BLOCKING.has(cause.reason ?? ''))
  if (blocked && resource.rules) causes.push(NOT_CHECKED)
  if (!blocked && resource.rules) causes.push(...resource.rules(object, old))
  const replicas = object.spec?.replicas
  if (resource.scale && !blocked && typeof replicas === 'number' && replicas < 0)
    causes.push({
      reason: 'FieldValueInvalid',
      field: '.spec.replicas',
      message: `Invalid value: ${replicas}: should be a non-negative integer`,
    })
  if (causes.length) throw invalid(resource, object.metadata.name, causes)
}

/** As the provider's defaulting webhook refuses what it cannot read. */
export function checkReadable(resource: Resource, object: SandboxObject) {
  const structs = STRUCTS[resource.kind]
  if (!resource.webhook?.defaulter || !structs) return
  const why = decodingError(object as unknown as Json, resource.schema, structs)
  if (why)
    throw new StatusError(400, '', `admission webhook "${resource.webhook.defaulter}" denied the request: ${why}`)
}

/** As the provider's validating webhook refuses. */
export function checkWebhook(
  resource: Resource,
  object: SandboxObject,
  old: SandboxObject | undefined,
  others: Others,
) {
  const causes = resource.webhook?.check(object, old, others) ?? []
  if (!causes.length || !resource.webhook) return
  const { name, group = resource.group } = resource.webhook
  const { status } = invalid({ ...resource, group }, object.metadata.name, causes)
  const message = `admission webhook "${name}" denied the request: ${status.message}`
  throw new StatusError(status.code, status.reason, message, status.details)
}

/** The kind and version must be those of the endpoint. */
export function checkKind(resource: Resource, version: string, object: Json): asserts object is JsonObject {
  if (!isObject(object)) throw badRequest('the object provided is unrecognized (must be of type object)')
  const wanted = resource.group ? `${resource.group}/${version}` : version
  if (object.apiVersion !== undefined && object.apiVersion !== wanted)
    throw badRequest(
      `the API version in the data (${String(object.apiVersion)}) does not match the expected API version (${wanted})`,
    )
  if (object.kind !== undefined && object.kind !== resource.kind)
    throw badRequest(
      `${resource.kind} in version "${version}" cannot be handled as a ${resource.kind}: converting (${String(object.kind)}) to (${resource.kind}): unknown conversion`,
    )
  if (object.metadata !== undefined && !isObject(object.metadata)) throw badRequest('metadata must be an object')
}
