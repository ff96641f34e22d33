import { isHeld } from '@/lib/domain/latch/hold'
import { scaledBy, unmade } from '@/lib/domain/scaling'
import type { KubeObject } from '@/lib/kubernetes/types'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { pausedSince } from '@/lib/providers/cluster-api/group'
import { lacksMachines, setSizes } from '@/lib/providers/cluster-api/scaling'
import { DECISION } from '@/lib/services/changes/patch-for'
import { TAKE_BACK } from '@/lib/services/scaling/taken-back'
import { besides } from '../beside'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { DEPLOYMENTS, patchSet, resourceOf, SETS, setsByOwner } from './sets'
import { forgetTakenBack, noteTakenBackFor, takenBackFor } from './taken-back-for'

/** By the uid of a group: its hold, under which name that is kept, and since when it is looked at. */
type Looked = Map<string, { hold: string; kept: string; since: number; over: boolean }>
const looked = new WeakMap<ClusterView, Looked>()

/** Its manager may have told its machine sets of something in the moment of the hold: that is seen by then. */
const SEEN_MS = 2_000
/** A manager that does not say that it has seen the hold (before Cluster API 1.9, or it is away). */
const UNSAID_MS = 30_000

/** Which hold it is: since when its manager has seen it, and what was decided last. Null: none of Drydock's, whoever else paused it. */
function holdOf(object: KubeObject): { hold: string; seen: string | null } | null {
  if (!isHeld(object) || object.metadata.deletionTimestamp) return null
  const seen = pausedSince(conditionsOf(object))
  return { hold: JSON.stringify([object.metadata.annotations?.[DECISION] ?? null, seen]), seen }
}

/** Whether its hold was not looked at yet, or it was looked at and is over. */
export const isHoldNews = (view: ClusterView, object: KubeObject): boolean =>
  holdOf(object)?.hold !== looked.get(view)?.get(object.metadata.uid)?.hold

/**
 * A MachineDeployment that is held tells its machine sets nothing any more, and they go on with what they were told: of machines that
 * Cluster API's checks kept from being made until then, too. Those are taken back, once for each hold: what goes later is made again by
 * its machine set, as always. When it is let go its manager counts anew.
 */
export async function takeBack(view: ClusterView, stopped: () => boolean): Promise<void> {
  const before = looked.get(view)
  const all = [...view.objects(DEPLOYMENTS).values()].map((object) => ({
    ...{ object, id: object.metadata.uid },
    now: holdOf(object),
  }))
  const held = all.flatMap(({ object, id, now }) => (now ? [{ object, id, ...now }] : []))
  const anew = held.filter(({ id, hold }) => before?.get(id)?.hold !== hold)
  // A manager that does not say since when it is paused names two holds alike.
  const free = all.filter(({ id, now }) => !now && (!before || before.has(id)))
  await forgetTakenBack(view, idsOf(free))
  const known = await takenBackFor(view, idsOf(anew))
  const now: Looked = new Map(before)
  for (const { id, hold, seen } of anew) {
    const row = known.get(id)
    // A rejection lets nothing go: it is the same hold after that.
    const kept = JSON.stringify([row?.letGoBy ?? null, seen])
    now.set(id, { hold, kept, since: performance.now(), over: row?.takenBackFor === kept })
  }
  looked.set(view, new Map(held.map(({ id }) => [id, now.get(id)!])))
  const open = held.filter(({ id }) => !now.get(id)!.over)
  if (open.length === 0) return
  const sets = setsByOwner(view)
  // Only where they were heard of, that none is there says that none lacks any.
  const isHeard = (view.heardNow?.(SETS) ?? 'listed') === 'listed'
  const works = open.flatMap(({ object, id, seen }): Work[] => {
    const lacking = lackingOf(object, sets.get(id) ?? [])
    const hold = now.get(id)!
    const isLong = performance.now() - hold.since >= (seen === null ? UNSAID_MS : SEEN_MS)
    if (lacking.length === 0 && isHeard && isLong) return [{ object, of: id, work: () => end(view, object, hold) }]
    return lacking
      .filter(({ metadata }) => !refusals.stands(metadata.uid))
      .map((set) => ({ object, of: set.metadata.uid, work: () => one(view, object, set) }))
  })
  await beside(view).each(
    works,
    ({ of }) => of,
    ({ object, work }) =>
      work().catch(
        (err: unknown) =>
        log.warn({ err, cluster: view.name, group: object.metadata.name }, 'what a machine set was told of could not be taken back; it will be repeated'), // prettier-ignore
      ),
    stopped,
  )
}

interface Work {
  object: KubeObject
  /** A group, or one of its machine sets. */
  of: string
  work: () => Promise<void>
}
const idsOf = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id)

/** Machine sets of it that were told of machines which they are not to make any more. */
function lackingOf(object: KubeObject, own: KubeObject[]): KubeObject[] {
  const names = new Set(own.some(lacksMachines) ? unmade(setSizes(object, own)).map(({ name }) => name) : [])
  return own.filter(({ metadata }) => names.has(metadata.name))
}

/** It is done with, unless its machine sets are further than what was heard of them. */
async function end(view: ClusterView, object: KubeObject, hold: { kept: string; over: boolean }): Promise<void> {
  const own = (await sourceOf(view).machineSets(object)).filter(({ metadata }) => !metadata.deletionTimestamp)
  if (lackingOf(object, own).length > 0) return
  await noteTakenBackFor(view, object.metadata.uid, hold.kept)
  hold.over = true
}

const beside = besides()
const refusals = new Refusals()

async function one(view: ClusterView, object: KubeObject, set: KubeObject): Promise<void> {
  const { name, namespace, uid } = object.metadata
  const group = { ...object, kind: 'MachineDeployment' }
  // Let go after that look its manager counts anew, and once more for what is written here.
  const isStillHeld = async () => {
    const held = await view.client.get(resourceOf(object, 'machinedeployments'), name, namespace)
    return held.metadata.uid === uid && holdOf(held) !== null
  }
  const lowered = async (fresh: KubeObject): Promise<{ replicas: number; by: number } | null> => {
    const [size] = setSizes(object, [fresh])
    const { length: has } = await machinesOf(view, object, fresh)
    // One that was there a moment ago is made again: that is another thing.
    if (size!.has > has || size!.replicas <= has || scaledBy(size!) !== null || !(await isStillHeld())) return null
    return { replicas: has, by: size!.replicas - has }
  }
  const first = await lowered(await view.client.get(resourceOf(set, 'machinesets'), set.metadata.name, namespace))
  if (!first) return
  const machines = first.by === 1 ? '1 machine that it had not made' : `${first.by} machines that it had not made`
  const reason = `machine set ${set.metadata.name} had been told of ${machines}`
  const about = { id: uid, group, ...TAKE_BACK.back, reason }
  const result = await patchSet(view, set, about, async (fresh) => {
    const next = await lowered(fresh)
    return next?.by === first.by ? { replicas: next.replicas } : null
  })
  if (result && 'refused' in result) refusals.note(set.metadata.uid)
  else if (result)
    await leave(view, object, result.stored).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, group: name },
        'a machine that was made in the moment of that may be deleted',
      ),
    )
}

/** One that was made in the very moment of that write stays; not one that is being deleted already, in whose place another would be made. */
async function leave(view: ClusterView, object: KubeObject, set: KubeObject): Promise<void> {
  const replicas = async (fresh: KubeObject) => {
    const machines = await machinesOf(view, object, fresh)
    const has = machines.filter(({ metadata }) => !metadata.deletionTimestamp).length
    return has > Number(fresh.spec?.replicas ?? 0) ? { replicas: has } : null
  }
  if (!(await replicas(set))) return
  const group = { ...object, kind: 'MachineDeployment' }
  const reason = `a machine of machine set ${set.metadata.name} was made in that moment`
  await patchSet(view, set, { id: object.metadata.uid, group, ...TAKE_BACK.left, reason }, replicas)
}

/** As its controller counts them: with those that are being deleted. */
async function machinesOf(view: ClusterView, object: KubeObject, { metadata }: KubeObject): Promise<KubeObject[]> {
  const isOwn = ({ ownerReferences }: KubeObject['metadata']) =>
    ownerReferences?.some(({ uid }) => uid === metadata.uid)
  return (await sourceOf(view).workers(object)).filter((machine) => isOwn(machine.metadata))
}

const sourceOf = ({ client, capabilities: { resources } }: ClusterView) =>
  clientSource({ client, resources, letGo: () => Promise.resolve(null) })
