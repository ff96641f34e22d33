import type { KubeClient } from '@/lib/kubernetes/types'

/** The same client with calls of its own, of which a test can replace one. */
export const bound = (client: KubeClient): KubeClient => ({
  ...client,
  get: (...args) => client.get(...args),
  list: (...args) => client.list(...args),
  patch: (...args) => client.patch(...args),
  create: (...args) => client.create(...args),
})
