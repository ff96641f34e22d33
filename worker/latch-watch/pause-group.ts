import { db } from '@/lib/db/client'
import { boundTo, holdFields } from '@/lib/domain/latch/hold'
import { asLatched, HELD, SEEN_STORED, WAITING } from '@/lib/domain/latch/names'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { watchMark } from '@/lib/domain/latch/watch'
import { objectKey } from '@/lib/kubernetes/paths'
import { writtenAt } from '@/lib/providers/cluster-api'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { sendEvent } from '@/lib/services/changes/events'
import { HELD_AGAIN, alreadyHeld, takenWords } from '@/lib/services/changes/held-again'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import { stillOwned } from '../owned'
import { bearsLetGo } from '../planner/adopt'
import type { ClusterView } from '../types'

/** Controllers write to a group that begins to roll several times a second. */
const TRIES = 10

/** `stored` is null where there was nothing to pause any more. */
type Paused = { stored: KubeObject | null } | { trouble: string }

/**
 * Holds a group whose change was stored already. Unlike every other write, this one is on record only after it was made: nothing
 * moves by it, and each moment lets something begin. What is pending is worked out afterwards. Says why it could not be held, in
 * the API server's words; null: it is, or need not be. `told`: what was said of it the last time.
 */
export async function pauseGroup(
  view: ClusterView,
  group: KubeObject,
  watched: string | null,
  told: string | null,
): Promise<string | null> {
  const paused = await pause(view, group, watched)
  const trouble = 'trouble' in paused ? paused.trouble : null
  if (trouble !== null && trouble === told) return trouble
  const stored = 'stored' in paused ? paused.stored : null
  if (stored === null && trouble === null) return null
  const { uid } = group.metadata
  // What was held already is told of its change: who took its hold away, and, counted, how often.
  const taken = await alreadyHeld(view.clusterId, uid, rolloutDigest(group) ?? '')
  const what = taken
    ? // It is paused already: for words that cannot be had, it must not stay off the record.
      { action: HELD_AGAIN, reason: await takenWords(taken, group).catch(() => SEEN_STORED) }
    : { action: 'change.held', reason: SEEN_STORED, details: { written: writtenAt(group) } }
  await db().$transaction((tx) =>
    recordAudit(tx, systemCtx('latch-watch'), {
      ...what,
      target: { kind: group.kind, id: taken?.id ?? uid, name: objectKey(group) },
      cluster: { id: view.clusterId, name: view.name },
      ...(stored
        ? { answer: `stored as resourceVersion ${stored.metadata.resourceVersion}` }
        : { result: 'refused', answer: trouble }),
    }),
  )
  if (stored) await sendEvent(view.client, { ...stored, kind: group.kind }, 'DrydockHeld', SEEN_STORED)
  return trouble
}

/**
 * Bound to what was read; where somebody wrote since, it is read anew, and where it wants by then what it was let be with, or what an
 * approval let go meanwhile, it is left alone. A pause that a person set keeps its value.
 */
async function pause(view: ClusterView, group: KubeObject, watched: string | null): Promise<Paused> {
  const { uid, name, namespace } = group.metadata
  const resource = groupResource(group.kind, group.apiVersion)
  try {
    for (let [object, attempt] = [group, 1]; ; attempt++) {
      const { resourceVersion, annotations = {} } = object.metadata
      const body = boundTo(resourceVersion, holdFields(object, wordsNow(annotations[HELD])))
      try {
        return { stored: await view.client.patch(resource, name, namespace, 'merge', body) }
      } catch (error) {
        if (!(error instanceof KubeError && error.code === 409) || attempt === TRIES) throw error
      }
      object = { ...(await view.client.get(resource, name, namespace)), kind: group.kind, built: group.built }
      const gone = object.metadata.uid !== uid
      if (gone || isHeld(object) || watchMark(object) === watched) return { stored: null }
      if (await bearsLetGo(view.clusterId, object, { digest: rolloutDigest(object) ?? '' })) return { stored: null }
      await stillOwned(db(), view.clusterId, view)
    }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) return { trouble: error.message }
    throw error
  }
}

/** A rejection goes on; that it was held in the very write that brought it is not true of what is held anew. */
const wordsNow = (words: string | undefined): string =>
  words === undefined || asLatched(words).startsWith(WAITING) ? SEEN_STORED : words
