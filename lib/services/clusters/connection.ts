import { createKubeClient } from '@/lib/kubernetes/client'
import { tellRefusedAnew } from '@/lib/kubernetes/refused-anew'
import type { KubeClient } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { discoverAnew, forgetAnew } from './discover-anew'
import { readSecrets } from './secrets'

interface Cached {
  client: KubeClient
  updatedAt: number
}

const shared = globalThis as typeof globalThis & { __drydockClients?: Map<string, Cached> }
const clients = (): Map<string, Cached> => (shared.__drydockClients ??= new Map())

/**
 * The client of a management cluster, kept per process and made anew when its credentials changed.
 * Throws ServiceError `not-found` for a cluster that is not connected.
 */
export async function kubeClientFor(clusterId: string): Promise<KubeClient> {
  let secrets
  try {
    secrets = await readSecrets(clusterId)
  } catch (error) {
    // A database that does not answer says nothing about the cluster: whoever follows it keeps the client.
    if (error instanceof ServiceError && error.code === 'not-found') forgetClient(clusterId)
    throw error
  }
  // Looked up only now: whoever asked at the same time may have made it meanwhile, and is using it.
  const cached = clients().get(clusterId)
  if (cached && cached.updatedAt === secrets.updatedAt.getTime()) return cached.client
  forgetClient(clusterId)
  const client = tellRefusedAnew(createKubeClient(secrets.credentials), () => discoverAnew(clusterId))
  clients().set(clusterId, { client, updatedAt: secrets.updatedAt.getTime() })
  return client
}

/**
 * Closes the kept client, after a disconnect or with new credentials. Calls in flight end at once with KubeUnreachable:
 * like any call without an answer, nothing is known about what the server did, and whoever made it looks or tries again.
 */
export function forgetClient(clusterId: string): void {
  const cached = clients().get(clusterId)
  clients().delete(clusterId)
  forgetAnew(clusterId)
  void cached?.client.close()
}

/** Closes all clients of this process. */
export async function closeClients(): Promise<void> {
  const all = [...clients().values()]
  for (const clusterId of clients().keys()) forgetAnew(clusterId)
  clients().clear()
  await Promise.all(all.map((c) => c.client.close()))
}
