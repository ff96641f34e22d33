import { HELD, PAUSED, PAUSED_BY_DRYDOCK, SEEN_STORED } from '@/lib/domain/latch/names'
import { watchMark } from '@/lib/domain/latch/watch'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { sendEvent } from '@/lib/services/changes/events'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource } from '@/lib/services/changes/patch-for'
import { audited, NothingToWrite } from '../planner/audited'
import type { ClusterView } from '../types'

/** Controllers write to a group that begins to roll several times a second. */
const TRIES = 10

/**
 * Holds a group whose change was stored already, at once: what is pending is worked out afterwards. A pause that a person
 * set keeps its value. Bound to what was read; where somebody wrote since, it is read anew, and where it wants something
 * else by then, it is looked at anew. Says why it could not be held, in the API server's words; null: it is, or need not be.
 */
export async function pauseGroup(view: ClusterView, group: KubeObject, watched: string | null): Promise<string | null> {
  const { uid, name, namespace } = group.metadata
  const resource = groupResource(group.kind, group.apiVersion)
  let refused: string | null = null
  const pause = async (): Promise<KubeObject> => {
    for (let [object, attempt] = [group, 1]; ; attempt++) {
      const { resourceVersion, annotations = {} } = object.metadata
      const hold = { [PAUSED]: annotations[PAUSED] ?? PAUSED_BY_DRYDOCK, [HELD]: annotations[HELD] ?? SEEN_STORED }
      try {
        const body = { metadata: { resourceVersion, annotations: hold } }
        return await view.client.patch(resource, name, namespace, 'merge', body)
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        refused = error.message
        if (error.code !== 409 || attempt === TRIES) throw error
      }
      object = { ...(await view.client.get(resource, name, namespace)), kind: group.kind }
      refused = null
      if (object.metadata.uid !== uid) throw new NothingToWrite('ok', 'It is another object of the same name by now')
      if (isHeld(object)) throw new NothingToWrite('ok', 'It was held already by then')
      if (watchMark(object) === watched) throw new NothingToWrite('ok', 'It was changed back by then')
    }
  }
  const about = { id: uid, intent: 'change.hold', action: 'change.held', reason: SEEN_STORED }
  try {
    const stored = await audited(view, group, about, pause)
    if (stored) await sendEvent(view.client, { ...stored, kind: group.kind }, 'DrydockHeld', SEEN_STORED)
    return stored ? null : refused
  } catch (error) {
    if (error instanceof NothingToWrite) return null
    if (error instanceof KubeError || error instanceof KubeUnreachable) return error.message
    throw error
  }
}
