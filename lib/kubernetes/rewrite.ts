import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient, type KubeObject, type Resource } from './types'

export interface ObjectKey {
  uid: string
  namespace: string
  name: string
}

type Body = { metadata?: JsonObject; spec?: JsonObject } | null

const TRIES = 5

/** Each time somebody had written to it in between. */
export class OthersWrote extends KubeError {}

/**
 * Reads an object and writes what `make` says of it as it is then, as a merge patch; who wrote in between is read anew. Null:
 * nothing was to be written, or it is gone, or another one of the name. A conflict over what nobody has written to is a refusal: of a
 * webhook, or a quota. `write` makes each call, or throws where it may not be made any more.
 */
export async function rewrite(
  client: KubeClient,
  resource: Resource,
  { uid, namespace, name }: ObjectKey,
  make: (now: KubeObject) => Body | Promise<Body>,
  write: (call: () => Promise<KubeObject>) => Promise<KubeObject> = (call) => call(),
): Promise<KubeObject | null> {
  let last = null as { error: KubeError; version: string | undefined } | null
  for (let attempt = 1; ; attempt++) {
    const now = await orNull(client.get(resource, name, namespace))
    if (now?.metadata.uid !== uid) return null
    const version = now.metadata.resourceVersion
    if (last && last.version === version) throw last.error
    if (last && attempt > TRIES) throw new OthersWrote(last.error.code, last.error.status, last.error.call)
    const body = await make(now)
    if (!body) return null
    const metadata = { ...body.metadata, resourceVersion: version }
    try {
      return await orNull(write(() => client.patch(resource, name, namespace, 'merge', { ...body, metadata })))
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 409)) throw error
      last = { error, version }
    }
  }
}

/** Null: it is gone. */
const orNull = (of: Promise<KubeObject>): Promise<KubeObject | null> =>
  of.catch((error: unknown) => {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  })
