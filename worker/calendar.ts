import { log } from './log'
import { failures } from './metrics'
import { goInTime, holdToTimes } from './planner/times'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 5_000

const rounds = new WeakMap<ClusterView, Rounds>()

/** Holds changes to the windows and freezes of their policies: no event tells that one of them begins or ends. */
export const calendarConsumer: Consumer = {
  name: 'calendar',
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
  for (const work of [holdToTimes, goInTime])
    try {
      await work(view)
    } catch (err) {
      failures.inc({ cluster: view.name, what: 'calendar' })
      log.warn({ err, cluster: view.name }, 'windows and freezes could not be followed; it will be repeated')
    }
}
