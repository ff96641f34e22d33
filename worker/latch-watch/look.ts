import { db } from '@/lib/db/client'
import { rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import { isNeverHeld, isPaused, isPool } from '@/lib/domain/latch/hold'
import { HELD } from '@/lib/domain/latch/names'
import { FOUND_HELD, lookAt, markOf, watchMark } from '@/lib/domain/latch/watch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { groupChange } from '@/lib/services/changes/group-change'
import { isHeld } from '@/lib/services/changes/hold-of'
import { readPool } from '@/lib/providers/openshift/pools'
import { awaitRows } from '../pools/await-rows'
import { builtIn } from '../pools/built'
import { isGoverned } from '../governed'
import { log } from '../log'
import { stillOwned } from '../owned'
import { bearsLetGo } from '../planner/adopt'
import { forMoments } from '../rounds'
import type { ClusterView } from '../types'
import { writeFoundHeld } from './found-held'
import { pauseGroup } from './pause-group'
import { Strangers } from './strangers'
import { knownOf, letBe, writeTrouble, type Known, type Watch } from './watch'

export interface LookedAt {
  /** Groups of which it is not known yet what they were, or whether they are governed. */
  unknown: string[]
  /** Pools that all of their nodes are through with, by their operator, and whose rows come to say so: nothing is left to hold. */
  later: string[]
  /** Groups that could not be looked at, or not be paused. */
  failed: string[]
}

type What = 'unknown' | 'later' | 'nothing' | 'found-held' | 'keep' | 'hold'

type How = keyof LookedAt | 'fine'
type Ended = (name: string, how: How) => void
/** What has to be asked about keeps the rest waiting for so long. */
const MOMENT_MS = 1_000

/**
 * Pauses what is governed and changed, of these groups ("resource key"), all at once: each of them may go at any moment. `ended` is told of
 * each as soon as it is through, whichever others hang; where this throws, some are not.
 */
export async function lookAtGroups(
  view: ClusterView,
  watch: Watch,
  names: string[],
  strangers = new Strangers(),
  ended: Ended = () => undefined,
): Promise<LookedAt> {
  const looked: LookedAt = { unknown: [], later: [], failed: [] }
  const end: Ended = (name, how) => {
    if (how !== 'fine') looked[how].push(name)
    ended(name, how)
  }
  const groups = names.flatMap((name) => {
    const [resource, key] = name.split(' ') as [string, string]
    const found = view.objects(resource).get(key)
    const group = found && watch.poolsOnly && !isPool(found) ? undefined : found && builtIn(view, found)
    if (group && !group.metadata.deletionTimestamp && !isNeverHeld(group)) return [{ name, group }]
    end(name, group === null ? 'unknown' : 'fine')
    return []
  })
  const uids = groups.map(({ group }) => group.metadata.uid)
  const known = await knownOf(view.clusterId, uids)
  for (const stranger of await strangers.among(view.clusterId, uids, known)) known.set(stranger.id, stranger)
  const fine: { id: string; mark: string }[] = []
  const foundHeld: string[] = []
  const judged = groups.map(async ({ group }) => {
    const { uid: id } = group.metadata
    const row = known.get(id)
    const what = row ? await whatOf(view, watch, group, asHeld(group, row), strangers.has(group)) : 'unknown'
    if (strangers.has(group)) {
      strangers.keep(group, what)
      return { what, writes: false }
    }
    // Its row says from here on what was remembered.
    const remembered = what === 'nothing' || what === 'hold' ? strangers.markOf(group) : null
    const mark = what === 'keep' ? watchMark(group) : remembered
    if (mark !== null) fine.push({ id, mark })
    if (what === 'found-held') foundHeld.push(id)
    return { what, writes: mark !== null || what === 'found-held' }
  })
  const write = async (): Promise<void> =>
    void (await Promise.all([letBe(view, fine.splice(0)), writeFoundHeld(view, foundHeld.splice(0))]))
  let late = false
  // What nobody paused does not wait for what is being paused, nor all of it for one that hangs.
  let written = forMoments(Promise.allSettled(judged), MOMENT_MS).then(() => {
    late = true
    return write()
  })
  const through = async (name: string, group: KubeObject, i: number): Promise<How> => {
    const row = known.get(group.metadata.uid)
    let [judgement, trouble]: [{ what: What; writes: boolean } | null, string | null] = [null, null]
    try {
      judgement = await judged[i]!
      if (judgement.what === 'hold') {
        // Whoever waited for an answer may not own it any more.
        if (late) await stillOwned(db(), view.clusterId, view)
        trouble = await pauseGroup(view, group, row!.watched, row!.trouble)
      }
    } catch (error) {
      trouble = (error as Error).message
    }
    if (trouble !== null)
      log.warn({ cluster: view.name, group: name, trouble }, 'a governed group changed and is not paused yet')
    if (judgement?.writes) await (written = written.then(write))
    if (row && trouble !== row.trouble) {
      if (strangers.has(group)) strangers.trouble(group, trouble)
      else await writeTrouble(view, row.id, trouble)
    }
    if (trouble !== null) return 'failed'
    return judgement?.what === 'unknown' || judgement?.what === 'later' ? judgement.what : 'fine'
  }
  const each = groups.map(async ({ name, group }, i) => {
    // What could not be written of it is not on record: it is looked at again.
    let how: How = 'unknown'
    try {
      how = await through(name, group, i)
    } finally {
      end(name, how)
    }
  })
  const thrown = (await Promise.allSettled([written, ...each])).find((one) => one.status === 'rejected')
  if (thrown) throw thrown.reason
  return looked
}

/** Somebody took its hold away before the first look: by the record it would have been found held. */
const asHeld = (group: KubeObject, row: Known): Known =>
  row.waits && !isHeld(group) ? { ...row, watched: FOUND_HELD } : row

async function whatOf(
  view: ClusterView,
  watch: Watch,
  group: KubeObject,
  row: Known,
  isStranger: boolean,
): Promise<What> {
  const { annotations = {}, namespace = '', creationTimestamp, generation = 0 } = group.metadata
  const inside = view.objects('namespaces').get(namespace)
  if (watch.governs.governs === 'namespace-label' && !inside && !isPool(group)) return 'unknown'
  const governed = isGoverned(watch.governs, group, inside)
  // Its words are still there: whoever means to let it go takes both away.
  if (governed && HELD in annotations && !isPaused(group)) return 'hold'
  const looked = lookAt({
    mark: watchMark(group),
    watched: row.watched,
    letGo: row.letGo === null ? null : markOf(group.apiVersion, row.letGo),
    held: isHeld(group),
    governed,
    // Of what has no row, another process may have known more: only its machines tell whether it was changed since.
    begins: (!isStranger && new Date(creationTimestamp) <= watch.since) || generation <= 1,
  })
  if (looked === 'nothing' || looked === 'found-held' || looked === 'keep') return looked
  const { clusterId, client, capabilities } = view
  const digest = rolloutDigest(group) ?? ''
  // Approved, and let go so; whoever else takes a hold away lets nothing go.
  if (looked === 'changed' ? row.approved === digest : await bearsLetGo(clusterId, group, { digest })) return 'keep'
  if (looked === 'changed' && !onlyItsNodesTell(group, row)) return 'hold'
  const { pairs } = await groupChange(group, { clusterId, client, resources: capabilities.resources })
  if (pairs.length === 0) return 'keep'
  // No image tells, and rows of its nodes, which may be from before this worker began, come to say what its operator does.
  const rows = isPool(group) && group.built === null && isThrough(group) ? await awaitRows(view, group) : null
  return rows?.later || rows?.told ? 'later' : rows?.old ? 'keep' : 'hold'
}

/**
 * Which image is built for a pool may only have come to be known, or is taken away before any node has it; and the hold of a pool that
 * all of its nodes are through with ends by that alone, whatever it was before. One that they went through with while nobody watched
 * is not held for that: nothing is left to hold.
 */
function onlyItsNodesTell(group: KubeObject, { watched }: Known): boolean {
  if (sameButImage(watchMark(group), watched ?? '')) return true
  return isPool(group) && readPool(group).counts.machines > 0 && (watched === FOUND_HELD || isThrough(group))
}

/** By what its operator says: rows of nodes may be late. It says so, too, of a pool without nodes, of which nobody is through. */
function isThrough(pool: KubeObject): boolean {
  const { pending, currentConfig, desiredConfig, counts } = readPool(pool)
  return !pending && currentConfig === desiredConfig && counts.updated >= counts.machines
}
