import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { holdFields, isHeld } from '@/lib/domain/latch/hold'
import { HELD, NOT_NOW, STOPPED, UNPAUSED } from '@/lib/domain/latch/names'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import { LIVE } from '@/lib/services/changes/states'
import { waitsFor } from '@/lib/services/changes/waits-for'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { auditedRewrite } from './audited'
import type { Running } from './stop'

const OLD = `${STOPPED}${NOT_NOW}`
const PAUSED_WORDS = `${OLD}paused by `
const refusals = new Refusals()

/**
 * What was held again by a pause, a window or the like, waits for an approval once that is over and nobody has approved it; what is
 * approved, and was paused, may wait for its time by then. The words on the object, which is all that people with kubectl see, say so.
 */
export async function sayUnpaused(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  const old = await db().group.findMany({
    where: { clusterId, held: { startsWith: OLD } },
    select: { id: true, held: true },
  })
  if (old.length === 0) return
  const waiting = await db().change.findMany({
    where: {
      ...{ clusterId, groupId: { in: old.map(({ id }) => id) }, state: 'waiting', heldBy: 'latch' },
      pausedAt: null,
    },
    select: {
      ...{ id: true, groupId: true, groupKind: true, groupName: true, namespace: true, dueMode: true },
      _count: { select: { decisions: { where: { state: { in: LIVE } } } } },
    },
  })
  const held = new Map(old.map((group) => [group.id, group.held]))
  // What is approved, and was not paused, says already what it waits for.
  const asked = waiting.flatMap(({ dueMode, _count, ...change }) => {
    const approved = dueMode !== null || _count.decisions > 0
    return approved && !held.get(change.groupId)?.startsWith(PAUSED_WORDS) ? [] : [{ change, approved }]
  })
  const say = ({ change, approved }: (typeof asked)[number]) =>
    one(view, change, approved).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: change.id },
        'what a hold says could not be written anew; it will be repeated',
      ),
    )
  await beside(view).each(asked, ({ change }) => change.id, say, stopped)
}

const beside = besides()

async function one(view: ClusterView, change: Running, approved: boolean): Promise<void> {
  const { id, groupId, groupKind: kind, groupName, namespace } = change
  if (refusals.stands(id)) return
  const { words } = approved ? await waitsFor(id) : { words: null }
  // With nothing to wait for it goes in a moment.
  if (approved && words === null) return
  const [old, now] = words === null ? [OLD, UNPAUSED] : [PAUSED_WORDS, `${OLD}${words}`]
  const resource = groupResource(kind, await apiVersionOf(change))
  const make = (object: KubeObject) =>
    isHeld({ ...object, kind }) && object.metadata.annotations?.[HELD]?.startsWith(old)
      ? { metadata: { annotations: holdFields({ ...object, kind }, now).annotations } }
      : null
  // The watch is late: what says so already is no news.
  const object = await view.client.get(resource, groupName, namespace)
  if (object.metadata.uid !== groupId || !make(object)) return
  const about = { id, intent: 'change.reword', action: 'change.reworded', reason: now }
  const written = await auditedRewrite(view, { ...object, kind }, about, [resource, object, make])
  if (written && 'refused' in written) refusals.note(id)
}
