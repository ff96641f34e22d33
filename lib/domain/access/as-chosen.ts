import type { Capabilities } from '../capabilities'

/**
 * What was found, by what is chosen now: what the latch of pools lacks is missing where somebody chose it, and else apart. Drydock asks
 * for it anew only a while after that.
 */
export function asChosen(found: Capabilities, policy: { governs: string; pools: string | null } | null): Capabilities {
  const latchesPools = policy?.pools === 'same-write' && policy.governs !== 'none'
  if (found.openshift === null || latchesPools === (found.latchOfPools === undefined)) return found
  const { latchOfPools = [], missingPermissions: missing, ...rest } = found
  if (latchesPools) return { ...rest, missingPermissions: [...missing, ...latchOfPools] }
  const isOfLatch = ({ part }: (typeof missing)[number]): boolean => part === 'openshift-latch'
  const ofLatch = missing.filter(isOfLatch)
  // Nothing missing of what earlier versions of Drydock did not ask for does not mean that it is there.
  if (ofLatch.length === 0) return found
  return { ...rest, missingPermissions: missing.filter((one) => !isOfLatch(one)), latchOfPools: ofLatch }
}
