import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { readGate } from '@/lib/services/gate/look'
import { log } from './log'
import { failures } from './metrics'
import { isRunningInPlace, stopInPlace, unasked } from './planner/stop'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000
/** Managers that are restarted are being rolled out for a while; after so many rounds it is something else. */
const UNKNOWN_ROUNDS = 12
const OFF = 'in-place updates were switched off in its managers, and the rest would be replaced'
const UNKNOWN = 'whether its managers still do in-place updates could not be read for a minute'

const rounds = new WeakMap<ClusterView, Rounds>()

/**
 * Looks again and again whether the managers would still ask, while something approved in place is under way: an upgrade
 * of Cluster API that resets their feature gates is no event that anybody could watch, and a registration may go while a
 * release is on its way.
 */
export const askedConsumer: Consumer = {
  name: 'in-place guard',
  resources: [],
  afterRows: false,
  onSynced: (view) => {
    const unknown = { rounds: 0 }
    rounds.set(
      view,
      startRounds(() => round(view, unknown), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

async function round(view: ClusterView, unknown: { rounds: number }): Promise<void> {
  try {
    await stopWhereUnasked(view, unknown)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'in-place guard' })
    log.warn({ err, cluster: view.name }, 'whether the managers still ask could not be followed; it will be repeated')
  }
}

/** Stops what was approved in place where the managers would not ask. `unknown` counts how often that could not be read. */
export async function stopWhereUnasked(view: ClusterView, unknown = { rounds: 0 }): Promise<void> {
  if (!(await isRunningInPlace(view.clusterId))) return
  const { gates } = await discoverGates(view.client, view.capabilities)
  const states = [gates.inPlaceUpdates.state, gates.runtimeSdk.state]
  unknown.rounds = states.includes('unknown') ? unknown.rounds + 1 : 0
  if (states.includes('off')) return stopInPlace(view, OFF)
  if (unknown.rounds > UNKNOWN_ROUNDS) return stopInPlace(view, UNKNOWN)
  const why = unasked(await readGate(view.clusterId))
  if (why) await stopInPlace(view, why)
}
