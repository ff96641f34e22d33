import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FaultState } from '../faults'
import type { Authorizer, Caller } from '../rbac'
import { nameOf, type Resource } from '../resources'
import { badRequest, forbidden, notFound, StatusError } from '../status'
import type { Objectbase } from '../storage/objects'
import { keyOf } from '../storage/objects'
import type { Writes } from '../storage/store'
import type { Users } from '../users'
import { Answer } from './answer'
import { contentType, REVIEWS, type Discovery } from './discovery'
import { identify, review } from './identity'
import { shownText, type Lists } from './list'
import { attributesOf, mediaType, parseBody, parseRequest, readBody, type ResourceRequest } from './request'
import type { Watches } from './watch'
import { create, patch, remove, replace, scale, scaleOf } from './write'

export interface Parts {
  base: Objectbase
  writes: Writes
  users: Users
  authorizer: Authorizer
  faults: FaultState
  discovery: Discovery
  lists: Lists
  watches: Watches
}

const missing = () => new StatusError(404, 'NotFound', 'the server could not find the requested resource')

const FAULT_REASONS: Record<number, string> = {
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}
const FAULT_TEXTS: Record<number, string> = {
  429: 'Too many requests, please try again later.',
  500: 'Internal error occurred: etcdserver: request timed out',
  503: 'the server is currently unable to handle the request',
}

export function createHandler(parts: Parts) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const answer = new Answer(response, parts.faults)
    try {
      await handle(parts, request, answer)
    } catch (error) {
      answer.fail(error)
    }
    // A body that nobody read must not hold up the connection.
    request.resume()
  }
}

async function handle(parts: Parts, request: IncomingMessage, answer: Answer): Promise<void> {
  const { faults } = parts
  if (faults.slowMs) await wait(faults.slowMs)
  if (faults.code)
    throw new StatusError(
      faults.code,
      FAULT_REASONS[faults.code] ?? 'Unknown',
      FAULT_TEXTS[faults.code] ?? `HTTP ${faults.code}`,
    )
  const url = new URL(request.url ?? '/', 'https://localhost')
  const method = request.method ?? 'GET'
  if (/^\/(healthz|livez|readyz)$/.test(url.pathname)) {
    answer.response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    return
  }
  const caller = identify(request, parts.users, parts.authorizer)
  const target = parseRequest(method, url, parts.writes.registry)
  if (!target) {
    const document = method === 'GET' ? parts.discovery.document(url.pathname, request.headers.accept ?? '') : undefined
    if (!document) throw missing()
    return answer.send(200, document, contentType(document))
  }
  const asked = REVIEWS.find(
    (r) => r.group === target.group && r.version === target.version && r.plural === target.plural,
  )
  if (asked && target.verb === 'create') {
    const body = parseBody(await readBody(request), mediaType(request))
    return answer.send(201, review(asked.plural, body, caller, parts.authorizer))
  }
  authorize(parts, caller, target)
  if (!target.resource) throw missing()
  await serve(parts, request, url, { ...target, resource: target.resource }, caller, answer)
}

function authorize(parts: Parts, caller: Caller, target: ResourceRequest) {
  if (parts.authorizer.allows(caller, attributesOf(target))) return
  const { plural, group, namespace, subresource, verb, name, selected } = target
  const what = subresource ? `${plural}/${subresource}` : plural
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  const why = `User "${caller.user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`
  throw forbidden({ group, plural }, name ?? selected ?? '', why)
}

type Target = ResourceRequest & { resource: Resource }

async function serve(parts: Parts, request: IncomingMessage, url: URL, target: Target, caller: Caller, answer: Answer) {
  const { resource, version, name, subresource, verb } = target
  const namespace = resource.namespaced ? target.namespace : undefined
  const query = url.searchParams
  if (subresource && !(subresource === 'scale' ? resource.scale : subresource === 'status' && resource.status))
    throw resource.builtIn || !name ? missing() : notFound(resource, name)
  const mayCreate = () => authorize(parts, caller, { ...target, verb: 'create' })
  const call = { request, target, query, caller, warnings: answer.warnings, mayCreate }
  if (verb === 'watch') {
    if (name) query.set('fieldSelector', `metadata.name=${name}`)
    return parts.watches.start(answer.response, { resource, version, namespace, query })
  }
  if (verb === 'list') return answer.text(200, parts.lists.page(resource, version, namespace, query))
  if (verb === 'get') {
    const object = parts.base.of(nameOf(resource)).get(resource.namespaced ? `${namespace}/${name}` : name!)
    if (!object) throw notFound(resource, name!)
    if (subresource === 'scale') return answer.send(200, scaleOf(object))
    return answer.text(200, [shownText(resource, version, object)])
  }
  if (verb === 'deletecollection') return removeAll(parts, call, namespace, answer)
  const verbs: Record<string, typeof create> =
    subresource === 'scale' ? { update: scale, patch: scale } : { create, update: replace, patch, delete: remove }
  const act = verbs[verb]
  if (verb === 'patch' && !name) throw badRequest('name must be provided')
  if (!act || (verb === 'create') === Boolean(name))
    throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource')
  const { code, body } = await act(parts.writes, call)
  answer.send(code, body)
}

async function removeAll(
  parts: Parts,
  call: Parameters<typeof remove>[1],
  namespace: string | undefined,
  answer: Answer,
) {
  const { resource } = call.target
  const matching = JSON.parse(
    [...parts.lists.page(resource, resource.versions[0]!, namespace, call.query)].join(''),
  ) as {
    items: Parameters<typeof keyOf>[0][]
  }
  const as = { user: call.caller.user, groups: call.caller.groups, fieldManager: 'unknown' }
  for (const item of matching.items)
    await parts.writes.delete(resource, keyOf(item), { as, form: 'body', dryRun: call.query.has('dryRun') })
  answer.send(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' })
}
