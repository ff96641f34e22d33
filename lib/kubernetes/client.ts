import type { JsonObject } from '@/lib/domain/json'
import { createTransport, type Call, type Transport } from './http'
import { list, pages } from './list'
import { listQuery, query, resourcePath } from './paths'
import { KubeError, type KubeClient, type KubeCredentials, type KubeObject, type WriteOptions } from './types'
import { watchEvents } from './watch'

export interface KubeClientOptions {
  /** A watch that hears nothing at all, not even a bookmark, for this long is taken for dead. */
  inactivityMs?: number
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** A client of one API server. One agent per client: close it when the cluster is disconnected. */
export function createKubeClient(credentials: KubeCredentials, options: KubeClientOptions = {}): KubeClient {
  const transport = createTransport(credentials)
  const object = async (call: Call, callOptions?: WriteOptions) =>
    (await transport.json(call, callOptions)).body as unknown as KubeObject
  return {
    server: credentials.server,
    get: (resource, name, namespace, o) => object({ method: 'GET', path: resourcePath(resource, namespace, name) }, o),
    list: (resource, namespace, o = {}) => list(transport, resourcePath(resource, namespace) + listQuery(o), o),
    pages: (resource, namespace, o = {}) =>
      pages(transport, (from) => resourcePath(resource, namespace) + listQuery(from), o),
    create: (resource, body, namespace, o) =>
      write(transport, { method: 'POST', path: resourcePath(resource, namespace) + writeQuery(o), body }, o),
    patch: (resource, name, namespace, type, body, o) => {
      const path =
        resourcePath(resource, namespace, name, o?.subresource) +
        writeQuery(o, type === 'apply' && !(o?.dryRun && o.force === false))
      return write(transport, { method: 'PATCH', path, body, contentType: PATCH_TYPES[type] }, o)
    },
    delete: async (resource, name, namespace, o) => {
      const path = resourcePath(resource, namespace, name) + query({ dryRun: o?.dryRun ? 'All' : undefined })
      const body = o?.resourceVersion && { preconditions: { resourceVersion: o.resourceVersion } }
      await transport.json({ method: 'DELETE', path, ...(body && { body }) }, o)
    },
    watch: (resource, namespace, o) =>
      watchEvents(transport, resourcePath(resource, namespace), o, options.inactivityMs),
    raw: async (path, o) => (await transport.json({ method: 'GET', path }, o)).body,
    review: (resource, body: JsonObject, o) => object({ method: 'POST', path: resourcePath(resource), body }, o),
    close: () => transport.close(),
  }
}

const writeQuery = (options: WriteOptions | undefined, force = false) =>
  query({
    fieldManager: (options?.dryRun ? options.fieldManager : options?.author) || 'drydock',
    fieldValidation: 'Strict',
    dryRun: options?.dryRun ? 'All' : undefined,
    force: force || undefined,
  })

/** Servers that do not know strict validation warn instead: a field that they drop is a refusal for us all the same. */
async function write(transport: Transport, call: Call, options?: WriteOptions): Promise<KubeObject> {
  const { body, warnings } = await transport.json(call, options)
  const dropped = warnings.filter((warning) => /(unknown|duplicate) field/i.test(warning))
  if (dropped.length) {
    const message = `The API server does not know a field of what Drydock wrote: ${dropped.join('; ')}`
    throw new KubeError(
      422,
      { kind: 'Status', code: 422, reason: 'Invalid', message },
      `${call.method} ${call.path.split('?')[0]}`,
    )
  }
  return body as unknown as KubeObject
}
