import { log } from '../log'
import { failures } from '../metrics'
import { inMoments, startRounds, type Rounds } from '../rounds'
import type { ClusterView, Consumer } from '../types'
import { carryScaling } from './carry-scaling'
import { DEPLOYMENTS, SETS } from './sets'
import { hear } from './looked'
import { takeBack } from './take-back'
import { letWorkersGrow } from './workers-grow'

const ROUND_MS = 2_000

const rounds = new WeakMap<ClusterView, Rounds>()

/**
 * What becomes of the machine sets of worker groups while they, or their control plane, are held: they are told no more of what they had not
 * made yet; they grow and shrink where a policy or a person says so.
 */
export const scalingConsumer: Consumer = {
  name: 'scaling',
  resources: [DEPLOYMENTS, SETS],
  onSynced: (view) => {
    if (view.capabilities.clusterApi)
      rounds.set(
        view,
        startRounds((stopped) => soon(view, stopped), ROUND_MS),
      )
    return Promise.resolve()
  },
  onChanges: (view, changes) => {
    const groups = changes.filter(({ type, resource }) => type !== 'delete' && resource === DEPLOYMENTS)
    // Each is told of it: one that is not held for a moment is seen only here.
    if (groups.map(({ object }) => hear(view, object)).some(Boolean)) rounds.get(view)?.soon()
    return Promise.resolve()
  },
  forget: (view) => void rounds.get(view)?.stop(),
}

// What hangs goes on beside the next rounds.
const soon = inMoments(round, { ms: ROUND_MS, atOnce: 8 })

async function round(view: ClusterView, stopped: () => boolean): Promise<void> {
  for (const work of [takeBack, carryScaling, letWorkersGrow])
    try {
      await work(view, stopped)
    } catch (err) {
      failures.inc({ cluster: view.name, what: 'scaling' })
      log.warn({ err, cluster: view.name }, 'scaling of held groups failed; it will be repeated')
    }
}
