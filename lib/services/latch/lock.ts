import { isClusterFree, withClusterLock } from '../lock'

const LOCK = 7_207_005

/**
 * One at a time reads what a cluster's latch should be and writes it there: else an older reading would put back what
 * was just changed.
 */
export const withLatchLock = <T>(clusterId: string, work: () => Promise<T>): Promise<T> =>
  withClusterLock(LOCK, clusterId, 'The latch of this cluster is being changed or repaired right now.', work)

/** Nobody installs, changes, repairs or removes it at this moment: what is there is what is meant to be there. */
export const isLatchFree = (clusterId: string): Promise<boolean> => isClusterFree(LOCK, clusterId)
