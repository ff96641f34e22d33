import { setTimeout } from 'node:timers/promises'
import { atMost } from '@/lib/at-most'
import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import { POOL } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isMoving, stillInEtcd } from '@/lib/providers/cluster-api'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { isHeld } from '@/lib/services/changes/hold-of'
import { letGoOf } from '@/lib/services/changes/let-go'
import { groupResource } from '@/lib/services/changes/patch-for'
import type { ClusterView } from '../types'
import type { Running } from './stop'

/** A move takes Cluster API a second or two. While one hangs, its group goes on with others, outside its time. */
const MOVE_MS = 10_000
/** What was in a move so long ago is in another one now. */
const ANOTHER_MS = 6 * MOVE_MS
/** To be told of it takes some reads. An API server that takes its time keeps no hold waiting. */
const TOLD_MS = 3_000

/**
 * From one API server at once: when a window closes, hundreds are asked about. What gets no turn in that time is asked nothing. A
 * control plane waits for no workers: held in the wrong moment, its deletion hangs, and they only lose some seconds.
 */
const AT_ONCE = { KubeadmControlPlane: 4, others: 12 }
/** A control plane that hangs for so long lets another one be asked about beside it. */
const HANGS_MS = 1_000

/** What is not known by then, or at all, is not. `isLate`: nobody waits for it any more. */
export async function knownWithin(ask: (isLate: () => boolean) => Promise<boolean>, ms = TOLD_MS): Promise<boolean> {
  const told = new AbortController()
  const late = setTimeout(ms, false, { signal: told.signal }).catch(() => false)
  const asked = ask(() => told.signal.aborted).catch(() => false)
  return Promise.race([asked, late]).finally(() => told.abort())
}

const turns = new WeakMap<ClusterView, Record<keyof typeof AT_ONCE, ReturnType<typeof atMost>>>()

/** Whether it is midway as far as that is known in time: what is not known is held. */
export function knownMidway(view: ClusterView, change: Running): Promise<boolean> {
  const of = turns.get(view) ?? {
    KubeadmControlPlane: atMost(AT_ONCE.KubeadmControlPlane),
    others: atMost(AT_ONCE.others),
  }
  turns.set(view, of)
  return knownWithin(async (isLate) => {
    const ask = async () => !isLate() && isMidway(view, change)
    return change.groupKind === 'KubeadmControlPlane' ? passedOn(of.KubeadmControlPlane, ask) : of.others(ask)
  })
}

/** The turn goes to the next one while this one hangs, and its answer may come yet. */
async function passedOn(turn: ReturnType<typeof atMost>, ask: () => Promise<boolean>): Promise<boolean> {
  const { asked } = await turn(async () => {
    const answered = new AbortController()
    const asked = ask().finally(() => answered.abort())
    await Promise.race([asked, setTimeout(HANGS_MS, false, { signal: answered.signal })]).catch(() => false)
    return { asked }
  })
  return asked
}

/**
 * Whether the manager of a group that is to be held is needed for what it has begun, which would hang for as long as the hold
 * lasts: a control plane in the middle of replacing a machine, or, for some seconds, workers that move to be updated in place.
 */
async function isMidway(view: ClusterView, change: Running): Promise<boolean> {
  const { groupId, groupKind, groupName, namespace } = change
  // A node that has begun goes through by its own daemon, paused or not.
  if (groupKind === POOL) return false
  const row = await db().group.findUnique({ where: { id: groupId }, select: { apiVersion: true } })
  if (!row) return false
  const group = await view.client.get(groupResource(groupKind, row.apiVersion), groupName, namespace)
  if (group.metadata.uid !== groupId || isHeld(group)) return false
  const { client, capabilities } = view
  const source = clientSource({
    client,
    resources: capabilities.resources,
    letGo: (uid) => letGoOf(view.clusterId, uid),
  })
  if (groupKind === 'KubeadmControlPlane') return isReplacing(group, await source.machines(group))
  // In this order: what is scaled down between the two reads has more machines than it wants.
  const machines = await source.workers(group)
  return waitsStill(view, change.id, isMoving(await source.machineSets(group), machines))
}

/**
 * Until its manager has taken the old member out of etcd, and where the old machine goes first, until there is another in its
 * place. Nothing else begins meanwhile: the manager waits for this one.
 */
function isReplacing(group: KubeObject, machines: readonly KubeObject[]): boolean {
  const goes = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined
  if (machines.some((machine) => goes(machine) && stillInEtcd(machine))) return true
  // Below that it makes machines, and takes none away.
  const { replicas, surge } = wishOf(group)
  return surge === 0 && machines.filter((machine) => !goes(machine)).length < replicas
}

const movingSince = new WeakMap<ClusterView, Map<string, number>>()

function waitsStill(view: ClusterView, changeId: string, moving: boolean): boolean {
  const since = movingSince.get(view) ?? new Map<string, number>()
  movingSince.set(view, since)
  return holdWaits(since, changeId, moving, performance.now())
}

/** A hold waits for moves, but not for ever. `since`: when each change was first seen in one, kept here; in milliseconds. */
export function holdWaits(since: Map<string, number>, changeId: string, moving: boolean, now: number): boolean {
  for (const [id, at] of since) if (now - at > ANOTHER_MS) since.delete(id)
  if (!moving) since.delete(changeId)
  else if (!since.has(changeId)) since.set(changeId, now)
  return moving && now - since.get(changeId)! < MOVE_MS
}

/** How many machines it is to have, and how many more for a moment; `rollout.strategy` is `rolloutStrategy` in v1beta1. */
function wishOf({ spec = {} }: KubeObject): { replicas: number; surge: number } {
  const surge =
    valueAt(spec, 'rollout', 'strategy', 'rollingUpdate', 'maxSurge') ??
    valueAt(spec, 'rolloutStrategy', 'rollingUpdate', 'maxSurge')
  return { replicas: Number(spec.replicas ?? 1), surge: Number(surge ?? 1) }
}
