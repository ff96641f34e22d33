import type { CallOptions, KubeClient } from './types'

/** The reading half of a client, for work that is given up as a whole: every call ends with the signal. */
export function withSignal(client: KubeClient, signal: AbortSignal): KubeClient {
  const both = <O extends CallOptions>(options?: O): O & CallOptions => ({
    ...(options as O),
    signal: options?.signal ? AbortSignal.any([options.signal, signal]) : signal,
  })
  return {
    ...client,
    get: (resource, name, namespace, options) => client.get(resource, name, namespace, both(options)),
    list: (resource, namespace, options) => client.list(resource, namespace, both(options)),
    pages: (resource, namespace, options) => client.pages(resource, namespace, both(options)),
    raw: (path, options) => client.raw(path, both(options)),
    review: (resource, body, options) => client.review(resource, body, both(options)),
  }
}
