import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import { boundTo, holdFields } from '@/lib/domain/latch/hold'
import { STOPPED } from '@/lib/domain/latch/names'
import { UNAPPROVED_WHY } from '@/lib/domain/latch/unapproved'
import { UNASKED } from '@/lib/domain/latch/unasked'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { sendEvent } from '@/lib/services/changes/events'
import { isHeld } from '@/lib/services/changes/hold-of'
import { apiVersionOf } from '@/lib/services/changes/overtake'
import { groupResource } from '@/lib/services/changes/patch-for'
import type { GateStatus } from '@/lib/services/gate/status'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import { audited, NothingToWrite, reading, type About } from './audited'
import { holdEach } from './holding'
import { UNDER_WAY } from '@/lib/services/changes/states'

const TRIES = 5
/** Of groups that can be updated in place. */
export const KINDS = ['MachineDeployment', 'KubeadmControlPlane'] as const

/**
 * Why, by the registration, the managers do not ask about every group any more; null where they do, or hold because they
 * cannot: with another authority they trust no answer, and another address is asked all the same (it may be on its way to
 * be ours again).
 */
export function unasked({ state, differences = [], missing = [] }: GateStatus): string | null {
  if (state === 'unregistered' || missing.length > 0) return UNASKED.gone
  return differences.some((path) => path.startsWith('spec.namespaceSelector')) ? UNASKED.narrowed : null
}

const runningInPlace = (clusterId: string, kinds: readonly string[] = KINDS) => ({
  clusterId,
  groupKind: { in: [...kinds] },
  state: { in: UNDER_WAY },
  decisions: { some: { mode: 'in-place', state: { in: ['applying', 'accepted', 'seen'] } } },
})

/** Whether anything approved in place is under way there, or about to be. */
export async function isRunningInPlace(clusterId: string): Promise<boolean> {
  return (await db().change.count({ where: runningInPlace(clusterId) })) > 0
}

/**
 * Where the managers do not ask, Cluster API replaces: what was approved in place is stopped, by putting the hold back. A
 * machine that has begun stays as it is until they ask again. All at once: each of them may go on at any moment. Throws where one
 * could not be stopped; the others are. What is being stopped already is left alone.
 */
export async function stopInPlace(view: ClusterView, why: string, kinds?: readonly string[]): Promise<void> {
  const running = await db().change.findMany({ where: { ...runningInPlace(view.clusterId, kinds), settling: false } })
  const words = `of ${running.length} in-place rollouts without a gate could not be stopped`
  await holdEach(view, running, words, (change) => stop(view, change, why), 'in place ')
}

export interface Running {
  id: string
  groupId: string
  groupKind: string
  groupName: string
  namespace: string
}

/** What was found instead, when it was looked at again right before the write. */
function settled(error: unknown): 'held' | 'other' {
  if (error instanceof NothingToWrite) return error.result === 'ok' ? 'held' : 'other'
  throw error
}

/** The API server does not let Drydock put the hold back. */
export class NotHeld extends Error {}

/** Why what nobody lets go is held by itself. */
export const NOBODY_LET_GO = {
  taken: 'its hold was taken away, and nobody let it go here',
  takenSince: 'its hold was taken away, and nobody let it go anew',
  neverHeld: `${UNAPPROVED_WHY['never-held']}, and nobody approved it`,
  byDate: 'its date came, and no approval of it is in force',
  disconnected: `${UNAPPROVED_WHY.disconnect}, and nobody approved it`,
  voided: 'what let it go was void by then',
  remembered: 'Cluster API may go by an answer that it remembers, and no approval of it is in force',
  gated: 'the update gate was registered while it was under way, and no approval of it is in force',
}

export interface Stopping {
  /** Of what the API server has, that the reason is none any more. */
  isPast?: (object: KubeObject) => Promise<boolean>
  /** What stands on the object, where that is not the reason. */
  words?: string
  /** How it is on record, where that is not as stopped. */
  as?: Pick<About, 'action' | 'intent' | 'reason'>
}

/**
 * Puts the hold back on a group that was let go: what has begun is finished, what has not does not begin. Throws where that
 * could not be done, or is not known yet.
 */
export async function stop(view: ClusterView, change: Running, why: string, more: Stopping = {}): Promise<void> {
  const { isPast = () => Promise.resolve(false), words = `${STOPPED}${why}`, as } = more
  const { groupId, groupKind, groupName, namespace } = change
  const resource = groupResource(groupKind, await apiVersionOf(change))
  const read = () => view.client.get(resource, groupName, namespace)
  // A pause that a person set goes when that person wants: only our hold stays. Words alone, which anybody can write, hold nothing.
  const isOther = ({ metadata }: KubeObject) => metadata.uid !== groupId
  const hold = async (): Promise<KubeObject> => {
    for (let attempt = 1; ; attempt++) {
      const object = await reading(read())
      if (isOther(object)) throw new NothingToWrite('failed', 'It is another object of the same name by now')
      if (isHeld(object)) throw new NothingToWrite('ok', 'It was held already by then')
      if (await isPast(object)) throw new NothingToWrite('failed', 'There was no reason to hold it any more by then')
      await stillOwned(db(), view.clusterId, view)
      const body = boundTo(object.metadata.resourceVersion, holdFields({ ...object, kind: groupKind }, words))
      try {
        return await view.client.patch(resource, groupName, namespace, 'merge', body)
      } catch (error) {
        if (!(error instanceof KubeError && error.code === 409) || attempt === TRIES) throw error
      }
    }
  }
  const object = await read().catch((error: unknown) => {
    if (error instanceof KubeError && error.code === 404) return null
    throw error
  })
  if (!object || isOther(object) || (await isPast(object))) return
  const about = { id: change.id, ...(as ?? { intent: 'change.stop', action: 'change.stopped', reason: words }) }
  const stored = isHeld(object)
    ? 'held'
    : await audited(view, { ...object, kind: groupKind }, about, hold).catch(settled)
  if (stored === 'other') return
  if (stored === 'held') {
    // Its release may be on its way: it is looked at again until that is known.
    const releasing = await db().decision.count({ where: { changeId: change.id, state: 'applying' } })
    if (releasing > 0) throw new Error(`${groupKind} ${namedIn(namespace, groupName)} is being released at this moment`)
    return
  }
  if (stored === null)
    throw new NotHeld(
      `${groupKind} ${namedIn(namespace, groupName)} was not put on hold: it was refused, or what it goes by cannot be read`,
    )
  await sendEvent(view.client, stored, 'DrydockHeld', words)
}
