import type { Resolved } from './types'

type Told = Pick<Resolved, 'maxSurge' | 'maxUnavailable'>
const isZero = (value: number | string | null): boolean => value !== null && Number.parseInt(String(value), 10) === 0

/** What to write where the API server refuses that a group rolls as policies say; null: its own words have to do. */
export function shapeAdvice({ maxSurge, maxUnavailable }: Told, kind: string): string | null {
  if (kind !== 'MachineDeployment') return null
  // A worker group has no unavailable ones unless it says otherwise.
  if (isZero(maxSurge.value) && (maxUnavailable.value === null || isZero(maxUnavailable.value)))
    return `${BOTH}: write maxUnavailable: 1 in the policy ${(maxUnavailable.policy ?? maxSurge.policy)?.name}`
  if (isZero(maxUnavailable.value) && maxSurge.value === null)
    return `${BOTH}: write maxSurge: 1 in the policy ${maxUnavailable.policy?.name}`
  return null
}

const BOTH = 'maxSurge and maxUnavailable may not both be 0'
