import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { holdFields, isHeld } from '@/lib/domain/latch/hold'
import { HELD, NOT_NOW, STOPPED, UNPAUSED } from '@/lib/domain/latch/names'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import { LIVE } from '@/lib/services/changes/states'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { auditedRewrite } from './audited'
import type { Running } from './stop'

const OLD = `${STOPPED}${NOT_NOW}`
const refusals = new Refusals()

/**
 * What was held again by a pause, a window or the like, waits for an approval once that is over and nobody has approved it: the words
 * on the object, which is all that people with kubectl see, say so then.
 */
export async function sayUnpaused(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  const old = await db().group.findMany({ where: { clusterId, held: { startsWith: OLD } }, select: { id: true } })
  if (old.length === 0) return
  const waiting = await db().change.findMany({
    where: {
      ...{ clusterId, groupId: { in: old.map(({ id }) => id) }, state: 'waiting', heldBy: 'latch' },
      ...{ pausedAt: null, dueMode: null, decisions: { none: { state: { in: LIVE } } } },
    },
    select: { id: true, groupId: true, groupKind: true, groupName: true, namespace: true },
  })
  const say = (change: Running) =>
    one(view, change).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: change.id },
        'what a hold says could not be written anew; it will be repeated',
      ),
    )
  await beside(view).each(waiting, ({ id }) => id, say, stopped)
}

const beside = besides()

async function one(view: ClusterView, change: Running): Promise<void> {
  const { id, groupId, groupKind: kind, groupName, namespace } = change
  if (refusals.stands(id)) return
  const resource = groupResource(kind, await apiVersionOf(change))
  const make = (object: KubeObject) =>
    isHeld({ ...object, kind }) && object.metadata.annotations?.[HELD]?.startsWith(OLD)
      ? { metadata: { annotations: holdFields({ ...object, kind }, UNPAUSED).annotations } }
      : null
  // The watch is late: what says so already is no news.
  const object = await view.client.get(resource, groupName, namespace)
  if (object.metadata.uid !== groupId || !make(object)) return
  const about = { id, intent: 'change.reword', action: 'change.reworded', reason: UNPAUSED }
  const written = await auditedRewrite(view, { ...object, kind }, about, [resource, object, make])
  if (written && 'refused' in written) refusals.note(id)
}
