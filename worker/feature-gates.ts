import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { log } from './log'
import { failures } from './metrics'
import { isRunningInPlace, stopInPlace } from './planner/stop'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000
const OFF = 'in-place updates were switched off in its managers, and the rest would be replaced'

const rounds = new WeakMap<ClusterView, Rounds>()

/**
 * Follows the managers' feature gates while something approved in place is under way: an upgrade of Cluster API that
 * resets them is no event that anybody could watch, and what is asked rarely otherwise would come too late.
 */
export const featureGatesConsumer: Consumer = {
  name: 'feature gates',
  resources: [],
  afterRows: false,
  onSynced: (view) => {
    rounds.set(
      view,
      startRounds(() => round(view), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

async function round(view: ClusterView): Promise<void> {
  try {
    await stopWithoutGates(view)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'feature gates' })
    log.warn({ err, cluster: view.name }, 'the managers’ feature gates could not be followed; it will be repeated')
  }
}

/** Stops what was approved in place where a manager runs, or is about to run, without in-place updates. */
export async function stopWithoutGates(view: ClusterView): Promise<void> {
  if (!(await isRunningInPlace(view.clusterId))) return
  const { gates } = await discoverGates(view.client, view.capabilities)
  if ([gates.inPlaceUpdates, gates.runtimeSdk].some(({ state }) => state === 'off')) await stopInPlace(view, OFF)
}
