import type { IncomingMessage } from 'node:http'
import type { Json } from '../../../lib/domain/json'
import { parse as parseYaml } from 'yaml'
import type { Registry, Resource } from '../resources'
import type { Attributes } from '../rbac'
import { badRequest, StatusError } from '../status'

export interface ResourceRequest {
  group: string
  version: string
  plural: string
  namespace?: string
  name?: string
  subresource?: string
  resource?: Resource
  verb: string
  /** Name that the fieldSelector of a list or watch limits it to: rights by name cover such a request. */
  selected?: string
}

const VERBS: Record<string, string> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

/** What a path of /api or /apis asks for; nothing for discovery documents. */
export function parseRequest(method: string, url: URL, registry: Registry): ResourceRequest | undefined {
  const parts = url.pathname.split('/').filter(Boolean).map(decode)
  const core = parts[0] === 'api'
  if ((!core && parts[0] !== 'apis') || parts.length < (core ? 3 : 4)) return undefined
  const group = core ? '' : parts[1]!
  const version = parts[core ? 1 : 2]!
  let rest = parts.slice(core ? 2 : 3)
  let namespace: string | undefined
  if (rest[0] === 'namespaces' && rest.length > 2 && registry.serving(group, version, rest[2]!)?.namespaced) {
    namespace = rest[1]
    rest = rest.slice(2)
  }
  const [plural, name, subresource] = rest as [string, string?, string?]
  if (rest.length > 3) return undefined
  const found = registry.serving(group, version, plural)
  if (plural === 'namespaces' && group === '' && name) namespace = name
  const selected = /^metadata\.name==?([^,]+)$/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1]
  const verb = verbOf(method, url, name)
  return { group, version, plural, namespace, name, subresource, selected, resource: found, verb }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest(`the path segment ${segment} is not well encoded`)
  }
}

function verbOf(method: string, url: URL, name: string | undefined): string {
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection'
  if (method === 'GET' || method === 'HEAD') {
    if (isTrue(url.searchParams.get('watch'))) return 'watch'
    return name ? 'get' : 'list'
  }
  return VERBS[method] ?? method.toLowerCase()
}

export const isTrue = (value: string | null) => value === 'true' || value === '1'

export const attributesOf = (r: ResourceRequest): Attributes => ({
  verb: r.verb,
  group: r.group,
  resource: r.plural,
  subresource: r.subresource,
  name: r.name ?? r.selected,
  namespace: r.namespace,
})

const MAX_BODY = 3 * 1024 * 1024

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY)
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const mediaType = (request: IncomingMessage) => (request.headers['content-type'] ?? '').split(';')[0]!.trim()

export function parseBody(text: string, media: string): Json {
  try {
    return (media.endsWith('yaml') ? parseYaml(text) : JSON.parse(text)) as Json
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export const unsupportedMedia = (accepted: string[]) =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
