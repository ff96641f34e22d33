import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { Governance } from './governance-fields'

type Policy = ClusterDetail['policy']

/**
 * The version of what is governed that a sheet is bound to: what was looked at when it opened, or was recorded from it since, whatever
 * the cluster made of that. `failed`: what was asked came to an error.
 */
export function useLookedAt(policy: Policy, input: Governance['input'], failed: boolean): number {
  const [version, setVersion] = useState(policy.version)
  if (failed && version !== policy.version && isSame(policy, input)) setVersion(policy.version)
  return version
}

export const isSame = (policy: Policy, asked: Governance['input']): boolean =>
  policy.governs === asked.governs &&
  (policy.labelKey ?? '') === (asked.labelKey ?? '') &&
  (policy.labelValue ?? '') === (asked.labelValue ?? '') &&
  (asked.pools === undefined || asked.pools === (policy.pools ?? 'pausing')) &&
  policy.breakGlass === asked.breakGlass &&
  policy.reasonNeeded === asked.reasonNeeded
