import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'
import { isHandedDown, isSettled } from '@/lib/providers/cluster-api/upgrade'
import { holdOf, type Hold } from '../changes/hold-of'
import { asksBefore } from '../upgrades/lifecycle'
import type { PlanContext } from './context'

/** What would keep a group from moving, were it written so: of the version of a managed Cluster, first of all its hook. */
export function plannedHold(
  { capabilities, gate, registered }: PlanContext,
  live: KubeObject,
  planned: KubeObject,
  gateAsked: boolean,
): Hold {
  const hold = holdOf(capabilities, planned, gateAsked)
  const { held, paused } = pauseOf(live)
  const asked = asksBefore({ gateState: registered ? 'registered' : 'unregistered', gateStatus: gate }, capabilities)
  const still = (hold === 'latch' || hold === 'gate') && held === null && !paused && isSettled(live)
  return still && asked && isHandedDown(live, planned) ? 'hook' : hold
}
