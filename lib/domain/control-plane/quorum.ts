/** How many members of an etcd cluster have to agree. */
export const quorumOf = (members: number): number => Math.floor(members / 2) + 1

export interface Etcd {
  members: number
  /** Known to be healthy: what is not known is not. */
  healthy: number
}

/** How many may still be lost; below zero there is no quorum. */
export const spareOf = ({ members, healthy }: Etcd): number => healthy - quorumOf(members)

export type Way = 'in-place' | 'replace'

/**
 * How many may be lost while one machine is dealt with, at the worst moment of it. In place its member may be away. Where a new
 * machine joins first, its member counts before it is known to be well, as the manager of control planes counts it (Cluster
 * API, remediation.go, targetEtcdClusterHealthy): but for the second of all, without which nothing could ever join. Where one
 * goes first, the worst is that a healthy one does.
 */
export function spareDuring({ members, healthy }: Etcd, way: Way, maxSurge: 0 | 1): number {
  if (way === 'in-place') return spareOf({ members, healthy: healthy - 1 })
  if (maxSurge === 0) return spareOf({ members: members - 1, healthy: healthy - 1 })
  return spareOf({ members: members + 1, healthy: members <= 1 ? healthy + 1 : healthy })
}
