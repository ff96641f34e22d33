import type { Pool } from './types'

/**
 * How many nodes of a pool may be out of work at once: a share is rounded down, and of no more than there are, and there is always one;
 * the arbiter's pool does one whatever it says (maxUnavailable in pkg/controller/node/node_controller.go). Null: it cannot be read, or is
 * below zero, and the operator takes no node.
 */
export function atOnce(pool: Pick<Pool, 'name' | 'maxUnavailable'>, machines: number): number | null {
  if (pool.name === 'arbiter') return 1
  const limit = pool.maxUnavailable ?? 1
  const most = typeof limit === 'number' ? limit : ofShare(limit, machines)
  return most === null || !isInt32(most) || most < 0 ? null : Math.max(1, most)
}

/** A number that Go's IntOrString can hold. */
const isInt32 = (n: number): boolean => (n | 0) === n

/** As Go's strconv.Atoi has the share (GetScaledValueFromIntOrPercent), which takes a sign ("+25%"), and 64 bits. */
function ofShare(limit: string, machines: number): number | null {
  const percent = /^[+-]?\d+(?=%$)/.exec(limit)?.[0]
  const share = percent === undefined ? null : BigInt(percent)
  if (share === null || BigInt.asIntN(64, share) !== share) return null
  return Math.min(machines, Math.floor((Number(share) * machines) / 100))
}

/** The same as it is kept with who approved that: 2, 25%. The text "2" is no number for the operator, and keeps its quotes. */
export function limitOf({ name, maxUnavailable }: Pick<Pool, 'name' | 'maxUnavailable'>): string {
  if (name === 'arbiter') return '1'
  const limit = maxUnavailable ?? 1
  return typeof limit === 'string' && !limit.endsWith('%') ? JSON.stringify(limit) : String(limit)
}

/**
 * Whether more of so many nodes go at once by the one limit than by the other: never more than there are. A share that is the same is no
 * more in a larger pool. By what the operator cannot read none goes.
 */
export function isMore(now: string, then: string, machines: number): boolean {
  if (now === then) return false
  const of = (limit: string): number => {
    const maxUnavailable = /^-?\d+$/.test(limit) ? Number(limit) : limit
    return atOnce({ name: '', maxUnavailable }, machines) ?? 0
  }
  return Math.min(of(now), machines) > of(then)
}

/** What the cluster is moving to, and which release the pool's config was made for. */
export interface Releases {
  /** ClusterVersion: the release that is being installed, or is there. */
  wanted: string | null
  /** Annotation release-image-version of the config that the pool is to have; null: not known. */
  desired: string | null
  /** The cluster is on its way to `wanted`; null: not known. */
  clusterUpdating: boolean | null
}

/** An update is under way, and whether the pool's config is already that of the new release cannot be told. */
export const isUntold = ({ desired, clusterUpdating }: Releases): boolean =>
  clusterUpdating === true && desired === null

/**
 * Whether the pool's counts are about the release that is wanted. When an update begins, every node is still "updated", with the
 * config of the release before: until the new config is rendered none of them counts.
 */
export const countsApply = ({ wanted, desired }: Pick<Releases, 'wanted' | 'desired'>): boolean =>
  wanted === null || desired === null || wanted === desired

/** What a node has that is as its pool wants it: that of the release that is wanted, of the one before, or that cannot be told. */
export const standingOf = (releases: Releases): Standing =>
  isUntold(releases) ? 'untold' : countsApply(releases) ? 'now' : 'before'
export type Standing = 'now' | 'before' | 'untold'

/** How many nodes have what the pool wants; none of which that is not known, or not counted yet. */
export const updatedNow = (pool: Pool, releases: Releases): number =>
  !countsApply(releases) || isUntold(releases) || (pool.pending && pool.currentConfig !== pool.desiredConfig)
    ? 0
    : pool.counts.updated

/**
 * All nodes have the config that the pool wants, as counted for that config: before the controller looked at the newest spec its counts
 * are about the one before, and `status.configuration` follows only when the last node is through.
 */
export const isSettled = ({ pending, currentConfig, desiredConfig, counts }: Pool): boolean =>
  !pending && currentConfig !== null && currentConfig === desiredConfig && counts.updated >= counts.machines
