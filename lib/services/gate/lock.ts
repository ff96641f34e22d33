import { withClusterLock } from '../lock'

const LOCK = 7_207_007

/**
 * Registering and disconnecting never pass each other: a registration that is written after it was looked for would stay
 * behind, and hold every update for ever.
 */
export const withRegistrationLock = <T>(clusterId: string, work: () => Promise<T>): Promise<T> =>
  withClusterLock(LOCK, clusterId, 'This cluster is being registered or disconnected right now.', work)
