import { isPool } from '../latch/hold'
import { SHAPE_RULES, type Rules } from './types'

/** Of a group, what decides whether a rule means anything there. */
export interface Rolled {
  kind: string
  strategy: string | null
}

const WORKERS_ONLY: readonly (keyof Rules)[] = ['maxUnavailable', 'deletionOrder', 'scaleWhileHeld']
/** The operator does without any of it: a pool has its own maxUnavailable, and its nodes stay. */
const NOT_OF_POOLS: readonly (keyof Rules)[] = [...SHAPE_RULES, 'scaleWhileHeld']
const ROLLS_ONLY: readonly (keyof Rules)[] = ['maxSurge', 'maxUnavailable', 'deletionOrder']

/**
 * Why what a policy says means nothing for such a group, in part of a sentence; null: it holds. A control plane has no unavailable ones
 * and no order, and its surge is 0 or 1 (kubeadm_control_plane_types.go); OnDelete has neither (v1beta1 machinedeployment_types.go).
 */
export function meansNothing<Rule extends keyof Rules>(
  rule: Rule,
  value: Rules[Rule],
  { kind, strategy }: Rolled,
): string | null {
  const plane = kind === 'KubeadmControlPlane'
  if (isPool({ kind }) && NOT_OF_POOLS.includes(rule)) return 'it is for groups of Cluster API only'
  if (plane && WORKERS_ONLY.includes(rule)) return 'it is for worker groups only'
  if (!plane && rule === 'holdLimit') return 'it is for control planes only'
  if (ROLLS_ONLY.includes(rule) && strategy !== 'RollingUpdate')
    return `a group with ${strategy ?? 'no strategy'} has none`
  return plane && rule === 'maxSurge' && value !== null && !['0', '1'].includes(String(value))
    ? 'of control planes it is 0 or 1'
    : null
}
