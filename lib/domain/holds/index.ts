import { durationOf, type Rules } from '../policies'
import { versionKey } from '../version'

/** How pressing a hold is by its age, each more than the one before. Stored as the place in this list. */
export const LEVELS = ['fresh', 'due', 'overdue', 'dangerous'] as const
export type HoldLevel = (typeof LEVELS)[number]

type HoldRules = Pick<Rules, 'remindAfter' | 'escalateAfter' | 'holdLimit'>

/** So long before the first certificate that a pool's nodes trust expires, holding it is dangerous: it was rotated long before that. */
export const CERTIFICATE_MARGIN_DAYS = 14

/** The last day on which a pool may be held without danger; null: no certificate says so. */
export const holdEnds = (certExpiry: Date | null): Date | null =>
  certExpiry && new Date(certExpiry.getTime() - CERTIFICATE_MARGIN_DAYS * 86_400_000)

/**
 * By its age in milliseconds: the most pressing of the limits that it is over. Only control planes become dangerous by it, and pools
 * by their certificates: `ends` is the last moment at which that is not so.
 */
export function levelOf(
  ageMs: number,
  kind: string,
  rules: HoldRules,
  ends: Date | null = null,
  now = Date.now(),
): HoldLevel {
  const over = (time: string): boolean => ageMs >= (durationOf(time) ?? Infinity)
  if (ends && now >= ends.getTime()) return 'dangerous'
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
  /** The version step among what waits. */
  versions: { from: string | null; to: string | null }
  /** What it wants to grow or shrink is carried through all the same. */
  scales?: boolean
  /** What becomes of new workers is told besides. */
  workersTold?: boolean
  /** Worker groups of its cluster that want more machines than they have, and how many more. */
  workers?: { groups: number; missing: number }
}

/** A control plane that wants a higher version than it has. */
export const isUpgrade = ({ from, to }: Held['versions']): boolean => (versionKey(to) ?? '') > (versionKey(from) ?? '')

const NAMED = 3

/** "2 groups of them want 5 more." */
export const wantMore = ({ groups, missing }: NonNullable<Held['workers']>): string =>
  `${groups === 1 ? '1 group of them wants' : `${groups} groups of them want`} ${missing} more.`

/**
 * What does not happen while a group is held, what hurts now first. Cluster API v1.14: the controllers of a paused object return
 * before they do anything, also before they write status (Reconcile in kubeadmcontrolplane_controller.go and
 * machinedeployment_controller.go). Machine sets go on, and replace ill machines but for those of older machine sets and while
 * the preflight checks fail (machineset_controller.go, reconcileUnhealthyMachines); these fail for workers of a control plane
 * that wants a higher version than it has (ControlPlaneIsStable, by the contract's IsUpgrading).
 */
export function suspendedWords({ kind, wanted, has, ill, versions, scales, workersTold, workers }: Held): string[] {
  const controlPlane = kind === 'KubeadmControlPlane'
  const named = ill.length > NAMED ? `${ill.slice(0, NAMED).join(', ')} and ${ill.length - NAMED} more` : ill.join(', ')
  const are = ill.length === 1 ? 'is' : 'are'
  const stays = has === wanted && !scales ? ', and it does not scale' : ''
  return [
    ...(ill.length > 0 && controlPlane ? [`${named} ${are} ill, and not replaced.`] : []),
    ...(ill.length > 0 && !controlPlane
      ? [`${named} ${are} ill, and not replaced where it is of an older revision or its control plane’s version waits.`]
      : []),
    ...(has !== wanted && !scales
      ? [
          // Of those that are too many, some may be spares: nobody scaled it down.
          `It wants ${wanted} machine${wanted === 1 ? '' : 's'} and has ${has}: ${has > wanted ? 'none goes for that, and ' : ''}it does not scale.`,
        ]
      : []),
    ...(controlPlane && isUpgrade(versions) && !workersTold
      ? [
          `Worker groups of its cluster get no new machines, unless their preflight checks are switched off${workers?.groups ? `: ${wantMore(workers)}` : '.'}`,
        ]
      : []),
    ...(controlPlane
      ? [
          'Ill machines are not replaced, nothing renews its kubeconfig or a machine whose certificates end, and a machine that somebody deletes does not go.',
        ]
      : []),
    `Labels, annotations and time-outs do not reach its machines${stays}.`,
  ]
}
