import { log } from './log'
import { failures } from './metrics'
import { goInTime, holdToTimes } from './planner/times'
import { startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 2_000

const rounds = new WeakMap<ClusterView, Rounds[]>()

/**
 * Holds changes to the windows and freezes of their policies, and to somebody's pause: no event tells that one of them
 * begins or ends. What has to be held waits for nothing that is let go.
 */
export const calendarConsumer: Consumer = {
  name: 'calendar',
  resources: [],
  afterRows: false,
  onSynced: (view) => {
    const both = [holdToTimes, goInTime].map((work) => startRounds((stopped) => round(view, work, stopped), ROUND_MS))
    rounds.set(view, both)
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => {
    for (const one of rounds.get(view) ?? []) void one.stop()
  },
}

type Work = (view: ClusterView, stopped: () => boolean) => Promise<void>

async function round(view: ClusterView, work: Work, stopped: () => boolean): Promise<void> {
  try {
    await work(view, stopped)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'calendar' })
    log.warn({ err, cluster: view.name }, 'windows and freezes could not be followed; it will be repeated')
  }
}
