import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient, type KubeObject, type Resource } from './types'

export interface ObjectKey {
  uid: string
  namespace: string
  name: string
}

type Body = { metadata?: JsonObject; spec?: JsonObject } | null

const TRIES = 5

/**
 * Reads an object and writes what `make` says of it as it is then, as a merge patch; who wrote in between is read anew. Null:
 * nothing was to be written, or it is gone, or another one of the name. `before` throws where it may not be written any more.
 */
export async function rewrite(
  client: KubeClient,
  resource: Resource,
  { uid, namespace, name }: ObjectKey,
  make: (now: KubeObject) => Body | Promise<Body>,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<KubeObject | null> {
  for (let attempt = 1; ; attempt++)
    try {
      const now = await client.get(resource, name, namespace)
      const body = now.metadata.uid === uid ? await make(now) : null
      if (!body) return null
      await before()
      const metadata = { ...body.metadata, resourceVersion: now.metadata.resourceVersion }
      return await client.patch(resource, name, namespace, 'merge', { ...body, metadata })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      if (error.code === 404) return null
      if (error.code !== 409 || attempt === TRIES) throw error
    }
}
