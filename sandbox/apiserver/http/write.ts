import type { IncomingMessage } from 'node:http'
import jsonPatch, { type Operation } from 'fast-json-patch'
import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { apiVersionOf, type Resource } from '../resources'
import type { Caller } from '../rbac'
import { isObject } from '../schema'
import { badRequest, StatusError } from '../status'
import { checkKind, strict, type Form } from '../storage/prepare'
import type { WriteRequest, Writes } from '../storage/store'
import { mergePatch } from '../storage/values'
import { shown } from './list'
import { writeOptions } from './options'
import { checkBody, checkMerge, goName, readPatched } from './patched'
import { mediaType, parseBody, readBody, unsupportedMedia, type ResourceRequest } from './request'

const BODIES = ['application/json', 'application/yaml']
const PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']
const STRATEGIC = 'application/strategic-merge-patch+json'

interface Call {
  request: IncomingMessage
  target: ResourceRequest & { resource: Resource }
  query: URLSearchParams
  caller: Caller
  warnings: string[]
  /** Throws where the caller may not create, which an apply of what is not there does. */
  mayCreate: () => void
}

export interface Written {
  code: number
  body: JsonObject
}

function options({ request, query, caller, warnings, target }: Call, form: Form): WriteRequest {
  const { manager, dryRun, validation, force } = writeOptions(request, query, form)
  return {
    as: { user: caller.user, groups: caller.groups, fieldManager: manager },
    ...{ form, dryRun, validation, warnings, force },
    subresource: target.subresource === 'status' ? 'status' : undefined,
  }
}

const keyFor = ({ resource, namespace, name }: Call['target']) => (resource.namespaced ? `${namespace}/${name}` : name!)

/** From the endpoint's version to the stored one. */
function stored({ resource, version }: Call['target'], given: JsonObject): JsonObject {
  if (version === resource.versions[0]) return given
  const converted = resource.convert?.from(version, given) ?? given
  return { ...converted, apiVersion: apiVersionOf(resource) }
}

async function bodyOf(call: Call): Promise<JsonObject> {
  const media = mediaType(call.request)
  if (media && !BODIES.includes(media)) throw unsupportedMedia(BODIES)
  const { resource, version } = call.target
  const body = parseBody(await readBody(call.request), media)
  if (isObject(body)) checkBody(resource, version, body, call.warnings)
  checkKind(resource, version, body)
  return body
}

export async function create(writes: Writes, call: Call): Promise<Written> {
  const { target } = call
  const body = await bodyOf(call)
  const metadata = (isObject(body.metadata) ? body.metadata : {}) as JsonObject
  if (metadata.namespace && target.namespace && metadata.namespace !== target.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  const placed = target.resource.namespaced ? { ...metadata, namespace: target.namespace ?? '' } : metadata
  const object = await writes.create(
    target.resource,
    stored(target, { ...body, metadata: placed }),
    options(call, 'body'),
  )
  return { code: 201, body: shown(target.resource, target.version, object) }
}

export async function replace(writes: Writes, call: Call): Promise<Written> {
  const { target } = call
  const body = await bodyOf(call)
  const name = (body.metadata as JsonObject | undefined)?.name
  if (name !== target.name)
    throw badRequest(
      `the name of the object (${String(name ?? '')}) does not match the name on the URL (${target.name})`,
    )
  const object = await writes.update(
    target.resource,
    keyFor(target),
    () => ({ given: stored(target, body) }),
    options(call, 'body'),
  )
  return { code: 200, body: shown(target.resource, target.version, object) }
}

/** The Scale that an object is behind. */
export function scaleOf(object: SandboxObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const count = (part: JsonObject | undefined): JsonObject => (part?.replicas ? { replicas: part.replicas } : {})
  const selector = object.status?.selector
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: count(object.spec),
    status: { replicas: 0, ...count(object.status), ...(selector ? { selector } : {}) },
  }
}

/** Replicas through the scale subresource: nothing else of the object changes. */
export async function scale(writes: Writes, call: Call): Promise<Written> {
  const { target, request } = call
  const given = parseBody(await readBody(request), mediaType(request))
  const change = (old: SandboxObject) => {
    const wanted = request.method === 'PUT' ? given : mergePatch(scaleOf(old), given)
    const spec = isObject(wanted) && isObject(wanted.spec) ? wanted.spec : {}
    const replicas = spec.replicas ?? 0
    if (!Number.isInteger(replicas)) throw badRequest('spec.replicas must be an integer')
    return { given: { ...(old as unknown as JsonObject), spec: { ...old.spec, replicas } } }
  }
  const object = await writes.update(target.resource, keyFor(target), change, options(call, 'patch'))
  return { code: 200, body: scaleOf(object) }
}

export async function patch(writes: Writes, call: Call): Promise<Written> {
  const { target } = call
  const media = mediaType(call.request)
  const accepted = target.resource.builtIn ? [...PATCHES, STRATEGIC] : PATCHES
  if (!accepted.includes(media)) throw unsupportedMedia(accepted)
  const given = parseBody(await readBody(call.request), media)
  if (media === 'application/apply-patch+yaml') return applied(writes, call, given)
  checkOlder(call, given)
  const change = (old: SandboxObject) => {
    const before = shown(target.resource, target.version, old)
    const after = media === 'application/json-patch+json' ? jsonPatched(before, given) : merged(before, given)
    const { version, subresource } = target
    const strictly = call.query.get('fieldValidation') === 'Strict'
    const asked = { version, subresource, strictly, warnings: call.warnings }
    return { given: stored(target, readPatched(target.resource, after, asked)) }
  }
  const object = await writes.update(target.resource, keyFor(target), change, options(call, 'patch'))
  return { code: 200, body: shown(target.resource, target.version, object) }
}

/** A merge patch through an older version may not name fields that it does not have. */
function checkOlder({ target: { resource, version }, query }: Call, given: Json) {
  if (version === resource.versions[0] || query.get('fieldValidation') !== 'Strict' || !isObject(given)) return
  const named = (path: string) =>
    path.split('.').reduce<Json | undefined>((part, key) => (isObject(part) ? part[key] : undefined), given)
  const unknown = (resource.convert?.unknown ?? []).filter((path) => named(path) !== undefined)
  if (unknown.length) throw strict(resource, given, 'patch', unknown)
}

async function applied(writes: Writes, call: Call, given: Json): Promise<Written> {
  const { target } = call
  const request = options(call, 'apply')
  checkKind(target.resource, target.version, given)
  if (given.apiVersion === undefined || given.kind === undefined) throw badRequest('apiVersion and kind must be set')
  const metadata = (given.metadata ?? {}) as JsonObject
  if (metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
  const named = {
    ...metadata,
    name: target.name!,
    ...(target.resource.namespaced ? { namespace: target.namespace! } : {}),
  }
  const config = stored(target, { ...given, metadata: named })
  const { object, created } = await writes.apply(target.resource, keyFor(target), config, request, call.mayCreate)
  return { code: created ? 201 : 200, body: shown(target.resource, target.version, object) }
}

function merged(before: JsonObject, given: Json): Json {
  checkMerge(given)
  return mergePatch(before, given)
}

function jsonPatched(before: JsonObject, given: Json): Json {
  if (!Array.isArray(given))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goName(given)} into Go value of type []handlers.jsonPatchOp`,
    )
  try {
    return jsonPatch.applyPatch(before, given as unknown as Operation[], true, false).newDocument as Json
  } catch {
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
  }
}

interface DeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string }
  propagationPolicy?: string
  dryRun?: string[]
}

export async function remove(writes: Writes, call: Call): Promise<Written> {
  const { target, query } = call
  const text = await readBody(call.request)
  const given = (text ? parseBody(text, mediaType(call.request)) : {}) as DeleteOptions
  const request = options(call, 'body')
  if (given.dryRun?.includes('All')) request.dryRun = true
  const propagation = query.get('propagationPolicy') ?? given.propagationPolicy
  const how = { uid: given.preconditions?.uid, resourceVersion: given.preconditions?.resourceVersion, propagation }
  const { object, gone } = await writes.delete(target.resource, keyFor(target), request, how)
  if (!gone) return { code: 200, body: shown(target.resource, target.version, object) }
  const { group, plural } = target.resource
  const details = { name: object.metadata.name, ...(group ? { group } : {}), kind: plural, uid: object.metadata.uid }
  return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } }
}
