import { isHeld } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { pausedSince } from '@/lib/providers/cluster-api/group'
import { DECISION } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'
import { forgetTakenBack, noteTakenBackFor, takenBackFor } from './taken-back-for'

export interface Look {
  hold: string
  /** Under which name that hold is kept; null: it was not read yet whether it was looked at. */
  kept: string | null
  since: number
  over: boolean
}

/** Of a cluster: the holds of its groups that are looked at, by the uid of the group. */
interface Looked {
  looks: Map<string, Look>
  /** Held no more, or not held for a moment. */
  free: Set<string>
  isFirst: boolean
  /** What is read and written of it, one after the other: what is forgotten is not noted by who looked before. */
  last: Promise<unknown>
}
const all = new WeakMap<ClusterView, Looked>()

function of(view: ClusterView): Looked {
  const own = all.get(view) ?? { looks: new Map(), free: new Set(), isFirst: true, last: Promise.resolve() }
  all.set(view, own)
  return own
}

function inTurn<T>(own: Looked, work: () => Promise<T>): Promise<T> {
  const whole = own.last.then(work)
  own.last = whole.catch(() => undefined)
  return whole
}

/** Which hold it is: since when its manager has seen it, and what was decided last. Null: none of Drydock's, whoever else paused it. */
export function holdOf(object: KubeObject): { hold: string; seen: string | null } | null {
  if (!isHeld(object) || object.metadata.deletionTimestamp) return null
  const seen = pausedSince(conditionsOf(object))
  return { hold: JSON.stringify([object.metadata.annotations?.[DECISION] ?? null, seen]), seen }
}

/** Hears of a group: one that is held no more is held anew when that comes back, also at once. True: a round has something to do. */
export function hear(view: ClusterView, object: KubeObject): boolean {
  const now = holdOf(object)
  return now ? now.hold !== of(view).looks.get(object.metadata.uid)?.hold : letGo(of(view), object.metadata.uid)
}

function letGo({ looks, free }: Looked, id: string): boolean {
  if (!looks.delete(id)) return false
  free.add(id)
  return true
}

export interface HeldGroup {
  object: KubeObject
  id: string
  seen: string | null
  look: Look
}

/** The groups that are held at this moment, and were not looked at to the end. */
export async function heldGroups(view: ClusterView, objects: readonly KubeObject[]): Promise<HeldGroup[]> {
  const own = of(view)
  const { looks } = own
  const held = new Map<string, Omit<HeldGroup, 'look'>>()
  for (const object of objects) {
    const { uid: id } = object.metadata
    const now = holdOf(object)
    if (now) {
      held.set(id, { object, id, seen: now.seen })
      if (looks.get(id)?.hold !== now.hold)
        looks.set(id, { hold: now.hold, kept: null, since: performance.now(), over: false })
      // A manager that does not say since when it is paused names two holds alike.
    } else if (!letGo(own, id) && own.isFirst) own.free.add(id)
  }
  own.isFirst = false
  for (const id of looks.keys()) if (!held.has(id)) looks.delete(id)
  await inTurn(own, () => readAnew(view, own, held))
  return [...held.values()].flatMap((group) => {
    const look = looks.get(group.id)
    return look && look.kept !== null && !look.over ? [{ ...group, look }] : []
  })
}

async function readAnew(view: ClusterView, own: Looked, held: ReadonlyMap<string, { seen: string | null }>) {
  const free = [...own.free]
  own.free.clear()
  await forgetTakenBack(view, free).catch((err: unknown) => {
    for (const id of free) own.free.add(id)
    throw err
  })
  const anew = [...own.looks].filter(([id, { kept }]) => kept === null && held.has(id))
  const known = await takenBackFor(
    view,
    anew.map(([id]) => id),
  )
  for (const [id, look] of anew) {
    const row = known.get(id)
    // A rejection lets nothing go: it is the same hold after that.
    look.kept = JSON.stringify([row?.letGoBy ?? null, held.get(id)!.seen])
    look.over = row?.takenBackFor === look.kept
  }
}

/** These were looked at to the end: of those that are held by another hold since, or by none, nothing is noted. */
export async function noteEnds(view: ClusterView, groups: readonly HeldGroup[]): Promise<void> {
  const own = of(view)
  await inTurn(own, async () => {
    const ends = groups.filter(({ id, look }) => own.looks.get(id) === look)
    await noteTakenBackFor(
      view,
      ends.map(({ id, look }) => ({ id, hold: look.kept! })),
    )
    for (const { look } of ends) look.over = true
  })
}
