import type { SandboxObject } from '../../types'
import { apiVersionOf, nameOf, type Resource } from '../resources'
import { both, fieldSelector, labelSelector, type Selector } from '../selectors'
import { badRequest, expired, StatusError } from '../status'
import { keyOf, textOf, type Objectbase } from '../storage/objects'
import type { JsonObject } from '../../../lib/domain/json'

export const selectorOf = (query: URLSearchParams, resource: Resource): Selector | undefined =>
  both(
    labelSelector(query.get('labelSelector')),
    fieldSelector(query.get('fieldSelector'), resource.plural === 'events'),
  )

/** The object as an endpoint's version shows it. */
export function shown(resource: Resource, version: string, object: SandboxObject): JsonObject {
  const stored = object as unknown as JsonObject
  if (version === resource.versions[0] && stored.apiVersion === apiVersionOf(resource)) return stored
  const converted = resource.convert?.to(version, stored) ?? stored
  return { ...converted, apiVersion: apiVersionOf(resource, version) }
}

export const shownText = (resource: Resource, version: string, object: SandboxObject) =>
  version === resource.versions[0] && object.apiVersion === apiVersionOf(resource)
    ? textOf(object)
    : JSON.stringify(shown(resource, version, object))

interface Token {
  version: number
  after: string
}

const encode = (token: Token) => Buffer.from(JSON.stringify(token)).toString('base64url')

function decode(text: string): Token {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Token
    if (typeof token.version === 'number' && typeof token.after === 'string') return token
  } catch {
    // Said below, as for every other token that is none.
  }
  throw badRequest('invalid continue token: continue key is not valid: encoded continue token is not valid')
}

export function versionOf(text: string | null): number | undefined {
  if (!text) return undefined
  if (!/^\d+$/.test(text)) {
    const quoted = JSON.stringify(text)
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
    )
  }
  return Number(text)
}

const GONE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.'

/** Lists: pages of one consistent snapshot. */
export class Lists {
  private readonly snapshots = new Map<string, SandboxObject[]>()

  constructor(private readonly base: Objectbase) {}

  page(resource: Resource, version: string, namespace: string | undefined, query: URLSearchParams): Iterable<string> {
    const limit = Number(query.get('limit') ?? 0)
    if (!Number.isInteger(limit) || limit < 0) throw badRequest(`Invalid value for limit: ${query.get('limit')}`)
    const token = query.get('continue') ? decode(query.get('continue')!) : undefined
    const wanted = versionOf(query.get('resourceVersion'))
    const match = query.get('resourceVersionMatch')
    if (token && wanted !== undefined && wanted !== 0)
      throw badRequest('specifying resource version is not allowed when using continue')
    if (match && wanted === undefined)
      throw badRequest('resourceVersionMatch is forbidden unless resourceVersion is provided')
    if (wanted !== undefined && wanted > this.base.version)
      throw new StatusError(
        504,
        'Timeout',
        `Timeout: Too large resource version: ${wanted}, current: ${this.base.version}`,
        {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      )
    const at = token?.version ?? (match === 'Exact' ? wanted! : this.base.version)
    const all = this.snapshot(nameOf(resource), namespace, at)
    if (!all) throw expired(token ? GONE : `The resourceVersion for the provided list is too old.`)
    const selector = selectorOf(query, resource)
    const start = token ? after(all, token.after) : 0
    const items: SandboxObject[] = []
    let next = start
    for (; next < all.length && (limit === 0 || items.length < limit); next++)
      if (!selector || selector(all[next]!)) items.push(all[next]!)
    const more = next < all.length
    if (more) this.keep(nameOf(resource), namespace, at, all)
    const metadata = {
      resourceVersion: String(at),
      ...(more ? { continue: encode({ version: at, after: keyOf(all[next - 1]!) }) } : {}),
      ...(more && !selector ? { remainingItemCount: all.length - next } : {}),
    }
    return pieces(resource, version, metadata, items)
  }

  private snapshot(name: string, namespace: string | undefined, version: number): SandboxObject[] | undefined {
    const objects = this.base.of(name)
    const now = objects.list(namespace)
    if (version === this.base.version) return now
    const kept = this.snapshots.get(`${name}|${namespace ?? ''}|${version}`)
    if (version < objects.history.compacted) return undefined
    if (kept) return kept
    const then = objects.history.at(version, objects.list(), keyOf)
    return namespace === undefined ? then : then?.filter((object) => object.metadata.namespace === namespace)
  }

  private keep(name: string, namespace: string | undefined, version: number, all: SandboxObject[]) {
    const key = `${name}|${namespace ?? ''}|${version}`
    this.snapshots.delete(key)
    this.snapshots.set(key, all)
    for (const oldest of this.snapshots.keys()) {
      if (this.snapshots.size <= 16) break
      this.snapshots.delete(oldest)
    }
  }
}

/** Namespaces first, then names: not the order of the keys as text. */
function after(all: SandboxObject[], key: string): number {
  const parts = (of: string): [string, string] => {
    const slash = of.indexOf('/')
    return slash < 0 ? ['', of] : [of.slice(0, slash), of.slice(slash + 1)]
  }
  const [namespace, name] = parts(key)
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    const { metadata } = all[middle]!
    const ns = metadata.namespace ?? ''
    if (ns < namespace || (ns === namespace && metadata.name <= name)) low = middle + 1
    else high = middle
  }
  return low
}

function* pieces(resource: Resource, version: string, metadata: JsonObject, items: SandboxObject[]): Iterable<string> {
  const head = { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource, version), metadata }
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`
  for (const [i, item] of items.entries()) yield (i ? ',' : '') + shownText(resource, version, item)
  yield ']}\n'
}
