import { durationOf, type Rules } from '../policies'

/** How pressing a hold is by its age, each more than the one before. Stored as the place in this list. */
export const LEVELS = ['fresh', 'due', 'overdue', 'dangerous'] as const
export type HoldLevel = (typeof LEVELS)[number]

type HoldRules = Pick<Rules, 'remindAfter' | 'escalateAfter' | 'holdLimit'>

/** By its age in milliseconds: the most pressing of the limits that it is over. Only control planes become dangerous. */
export function levelOf(ageMs: number, kind: string, rules: HoldRules): HoldLevel {
  const over = (time: string): boolean => ageMs >= (durationOf(time) ?? Infinity)
  if (kind === 'KubeadmControlPlane' && over(rules.holdLimit)) return 'dangerous'
  if (over(rules.escalateAfter)) return 'overdue'
  return over(rules.remindAfter) ? 'due' : 'fresh'
}

/** What is known of a group while it is held. */
export interface Held {
  kind: string
  /** Machines that it wants, and has. */
  wanted: number
  has: number
  /** Names of machines whose health check failed. */
  ill: readonly string[]
  /** Its version is among what waits. */
  versionWaits: boolean
}

const NAMED = 3

/**
 * What does not happen while a group is held, what hurts now first. Cluster API v1.14: the controllers of a paused object
 * return before they do anything (kubeadmcontrolplane/controller.go, machinedeployment_controller.go, Reconcile); machine sets
 * stay as they are, and go on replacing ill machines. New workers wait for a control plane whose version is not what it wants
 * (machineset_preflight.go, ControlPlaneIsStable).
 */
export function suspendedWords({ kind, wanted, has, ill, versionWaits }: Held): string[] {
  const controlPlane = kind === 'KubeadmControlPlane'
  const named = ill.length > NAMED ? `${ill.slice(0, NAMED).join(', ')} and ${ill.length - NAMED} more` : ill.join(', ')
  return [
    ...(controlPlane && ill.length > 0 ? [`${named} ${ill.length === 1 ? 'is' : 'are'} ill, and not replaced.`] : []),
    ...(wanted !== has ? [`It wants ${wanted} machines and has ${has}: it does not scale.`] : []),
    ...(controlPlane && versionWaits ? ['Worker groups of its cluster get no new machines.'] : []),
    ...(controlPlane
      ? ['Certificates that come to their end are not renewed, and ill machines are not replaced.']
      : ['Labels, annotations and time-outs do not reach its machines.']),
    ...(wanted === has ? ['It does not scale.'] : []),
  ]
}
