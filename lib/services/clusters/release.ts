import { db } from '@/lib/db/client'
import type { ManagementCluster } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { EXTENSION_CONFIG, RELEASE } from '@/lib/domain/latch/names'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { log } from '@/lib/log'
import { ServiceError } from '../errors'
import { maskToken } from '../gate/refusal'
import { kubeClientFor } from './connection'
import { registration } from './disconnect-plan'

const knownOf = ({ discovery }: Pick<ManagementCluster, 'discovery'>) =>
  (discovery as unknown as Capabilities | null) ?? { resources: {} }

const WHY = 'disconnected in Drydock'
/** Its manager writes its status now and then. */
const TRIES = 3
const isConflict = (error: unknown): boolean => error instanceof KubeError && error.code === 409

/** The guard lets the registration go only once it carries the release mark. `before` each step: throws where it may not be done any more. */
export async function release(clusterId: string, before: () => Promise<void>): Promise<string> {
  const cluster = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const client = await kubeClientFor(clusterId)
  const resource = await registration(client, knownOf(cluster))
  if (!resource) return 'there was no registration'
  const mark = { metadata: { annotations: { [RELEASE]: WHY } } }
  try {
    for (let tries = 1; ; tries++) {
      await before()
      const marked = await client.patch(resource, EXTENSION_CONFIG, undefined, 'merge', mark)
      await before()
      // Whoever connects it again takes the mark away: what was written since it was set is not deleted unseen.
      const { resourceVersion } = marked.metadata
      const changed = await client.delete(resource, EXTENSION_CONFIG, undefined, { resourceVersion }).then(
        () => false,
        (error) => (isConflict(error) && tries < TRIES ? true : Promise.reject(error)),
      )
      if (!changed) return 'registration deleted'
    }
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 404)) throw error
    return 'the registration was gone already'
  }
}

/**
 * Takes the release mark away again, so that the guard keeps the registration: its disconnect did not come to its end.
 * Says what came of it, never fails; a mark that stays is told by every look at the gate. Somebody else's mark stays.
 */
export async function takeBack(clusterId: string): Promise<string | null> {
  try {
    const cluster = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
    const client = await kubeClientFor(clusterId)
    const resource = await registration(client, knownOf(cluster))
    if (!resource) return cluster.gateState === 'registered' ? 'there is no registration of the gate any more' : null
    const { annotations } = (await client.get(resource, EXTENSION_CONFIG)).metadata
    if (annotations?.[RELEASE] !== WHY) return null
    const body = { metadata: { annotations: { [RELEASE]: null } } }
    const stored = await client.patch(resource, EXTENSION_CONFIG, undefined, 'merge', body)
    return `the registration is guarded again: stored as resourceVersion ${stored.metadata.resourceVersion}`
  } catch (error) {
    const known = error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError
    if (!known)
      log().error({ err: error, cluster: clusterId }, 'whether the registration is guarded still is not known')
    const why = known ? maskToken(error.message) : 'Drydock itself failed; its log says why.'
    return `whether the registration is guarded still is not known: ${why}`
  }
}
