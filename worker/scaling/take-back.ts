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
import { noteTakenBackFor, takenBackFor } from './taken-back-for'

/** By the uid of a group: its hold, and since when that is looked at. */
type Looked = Map<string, { hold: string; since: number; over: boolean }>
const looked = new WeakMap<ClusterView, Looked>()

/** Its manager may have told its machine sets of something in the moment of the hold: that is seen by then. */
const SEEN_MS = 2_000
/** A manager that does not say that it has seen the hold (before Cluster API 1.9, or it is away). */
const UNSAID_MS = 30_000

/** Which hold it is: of one that was seen by its manager, since when, and whatever was let go before it. Null: none of Drydock's, whoever else paused it. */
function holdOf(object: KubeObject): { hold: string; said: boolean } | null {
  if (!isHeld(object) || object.metadata.deletionTimestamp) return null
  const since = pausedSince(conditionsOf(object))
  return { hold: JSON.stringify([object.metadata.annotations?.[DECISION] ?? null, since]), said: since !== null }
}

/** Whether there is a hold that was not looked at yet. */
export function isHeldAnew(view: ClusterView, object: KubeObject): boolean {
  const now = holdOf(object)
  return now !== null && looked.get(view)?.get(object.metadata.uid)?.hold !== now.hold
}

/**
 * A MachineDeployment that is held tells its machine sets nothing any more, and they go on with what they were told: of machines that
 * Cluster API's checks kept from being made until then, too. Those are taken back, once for each hold: what goes later is made again by
 * its machine set, as always. When it is let go its manager counts anew.
 */
export async function takeBack(view: ClusterView, stopped: () => boolean): Promise<void> {
  const before: Looked = looked.get(view) ?? new Map()
  const held = [...view.objects(DEPLOYMENTS).values()].flatMap((object) => {
    const now = holdOf(object)
    return now ? [{ object, id: object.metadata.uid, ...now }] : []
  })
  const anew = held.filter(({ id, hold }) => before.get(id)?.hold !== hold)
  const told = await takenBackFor(
    view,
    anew.map(({ id }) => id),
  )
  const now: Looked = new Map(before)
  for (const { id, hold } of anew) now.set(id, { hold, since: performance.now(), over: told.get(id) === hold })
  looked.set(view, new Map(held.map(({ id }) => [id, now.get(id)!])))
  const open = held.filter(({ id }) => !now.get(id)!.over)
  if (open.length === 0) return
  const sets = setsByOwner(view)
  const looks = open.map((group) => {
    const own = sets.get(group.id) ?? []
    const names = new Set(own.some(lacksMachines) ? unmade(setSizes(group.object, own)).map(({ name }) => name) : [])
    return { ...group, lacking: own.filter(({ metadata }) => names.has(metadata.name)) }
  })
  // Only where they were heard of, that none is there says that none lacks any.
  const isHeard = (view.heardNow?.(SETS) ?? 'listed') === 'listed'
  const isOver = ({ id, said }: { id: string; said: boolean }) =>
    isHeard && performance.now() - now.get(id)!.since >= (said ? SEEN_MS : UNSAID_MS)
  const over = looks.filter((group) => group.lacking.length === 0 && isOver(group))
  await noteTakenBackFor(view, over)
  for (const { id } of over) now.get(id)!.over = true
  await beside(view).each(
    looks
      .flatMap(({ object, lacking }) => lacking.map((set) => ({ object, set })))
      .filter(({ set }) => !refusals.stands(set.metadata.uid)),
    ({ set }) => set.metadata.uid,
    ({ object, set }) =>
      one(view, object, set).catch(
        (err: unknown) =>
        log.warn({ err, cluster: view.name, group: object.metadata.name }, 'what a machine set was told of could not be taken back; it will be repeated'), // prettier-ignore
      ),
    stopped,
  )
}
const beside = besides()
const refusals = new Refusals()

async function one(view: ClusterView, object: KubeObject, set: KubeObject): Promise<void> {
  const { name, namespace, uid } = object.metadata
  const group = { ...object, kind: 'MachineDeployment' }
  // What was heard of either may be old.
  const held = await view.client.get(resourceOf(object, 'machinedeployments'), name, namespace)
  if (held.metadata.uid !== uid || holdOf(held) === null) return
  const lowered = async (fresh: KubeObject): Promise<{ replicas: number; by: number } | null> => {
    const [size] = setSizes(object, [fresh])
    const { length: has } = await machinesOf(view, object, fresh)
    // One that was there a moment ago is made again: that is another thing.
    if (size!.has > has || size!.replicas <= has || scaledBy(size!) !== null) return null
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
  const { client, capabilities } = view
  const source = clientSource({ client, resources: capabilities.resources, letGo: () => Promise.resolve(null) })
  const isOwn = ({ ownerReferences }: KubeObject['metadata']) =>
    ownerReferences?.some(({ uid }) => uid === metadata.uid)
  return (await source.workers(object)).filter((machine) => isOwn(machine.metadata))
}
