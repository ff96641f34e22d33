import { isUnpermitted } from './denied'
import { resourcePath } from './paths'
import { KubeError, type CallOptions, type KubeClient, type Resource } from './types'

/** Calls name their objects, which come and go: what was not refused for so long is forgotten. */
const LATELY_MS = 3_600_000

/**
 * Tells when the API server refuses a call for want of a permission, or lets one through that it refused before: what was found of
 * permissions is old then. Of each call once, until its answer is another, or for so long as it is made now and then.
 */
export function tellRefusedAnew(client: KubeClient, tell: () => void): KubeClient {
  /** When each was refused last, the longest ago first. */
  const refused = new Map<string, number>()
  const allowed = (call: string) => {
    if (refused.delete(call)) tell()
  }
  const failed = (call: string, error: unknown) => {
    if (!(error instanceof KubeError && isUnpermitted(error))) return
    const now = performance.now()
    const isKnown = refused.delete(call)
    refused.set(call, now)
    for (const [old, at] of refused) {
      if (now - at < LATELY_MS) break
      refused.delete(old)
    }
    if (!isKnown) tell()
  }
  async function told<T>(call: string | null, answer: Promise<T>): Promise<T> {
    try {
      const value = await answer
      if (call) allowed(call)
      return value
    } catch (error) {
      if (call) failed(call, error)
      throw error
    }
  }
  async function* toldOf<T>(call: string, answers: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const answer of answers) {
        allowed(call)
        yield answer
      }
    } catch (error) {
      failed(call, error)
      throw error
    }
  }
  return {
    ...client,
    get: (resource, name, namespace, o) =>
      told(callOf('get', o, resource, namespace, name), client.get(resource, name, namespace, o)),
    list: (resource, namespace, o) => told(callOf('list', o, resource, namespace), client.list(resource, namespace, o)),
    pages: (resource, namespace, o) =>
      toldOf(`list ${resourcePath(resource, namespace)}`, client.pages(resource, namespace, o)),
    create: (resource, object, namespace, o) =>
      told(callOf('create', o, resource, namespace), client.create(resource, object, namespace, o)),
    patch: (resource, name, namespace, type, body, o) =>
      told(
        callOf('patch', o, resource, namespace, name, o?.subresource),
        client.patch(resource, name, namespace, type, body, o),
      ),
    delete: (resource, name, namespace, o) =>
      told(callOf('delete', o, resource, namespace, name), client.delete(resource, name, namespace, o)),
    watch: (resource, namespace, o) =>
      toldOf(`watch ${resourcePath(resource, namespace)}`, client.watch(resource, namespace, o)),
  }
}

/** Null: it is made in somebody else's name, and says nothing of what Drydock may do. */
function callOf(
  verb: string,
  options: CallOptions | undefined,
  ...[resource, namespace, name, subresource]: [Resource, string?, string?, string?]
): string | null {
  return options?.impersonate ? null : `${verb} ${resourcePath(resource, namespace, name, subresource)}`
}
