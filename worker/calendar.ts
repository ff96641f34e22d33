import { log } from './log'
import { failures } from './metrics'
import { sayApproved } from './planner/approved-words'
import { expireUnbegun } from './planner/expired'
import { stopFailing } from './planner/failures'
import { ageHolds } from './planner/hold-ages'
import { shapeHeld } from './planner/shape'
import { holdSteps } from './planner/steps'
import { tellExpired } from './planner/tell-expired'
import { goInTime, holdMidway, holdToTimes } from './planner/times'
import { sayUnpaused } from './planner/unpaused'
import { placeInWaves } from './planner/waves'
import { inMoments, startRounds, type Rounds } from './rounds'
import type { ClusterView, Consumer } from './types'

const ROUND_MS = 2_000
/** Between two machines of a control plane there may be a second. */
const STEPS_MS = 500
/** What an object says of what is approved keeps nobody waiting. */
const WORDS_MS = 10_000
/** Ages are counted in hours; that an approval expired is only told. */
const AGES_MS = 30_000
/** What is to be held goes on where the API server does not answer about it; the next rounds hold what else there is. */
const soon = (work: Work, atOnce = 8): Work =>
  inMoments((view, stopped) => repeated(view, work, stopped), { ms: 2_000, atOnce })

const times = soon(holdToTimes)
const [shape, words, approved] = [soon(shapeHeld), soon(sayUnpaused), soon(sayApproved)]
const steps = [soon((view, stopped) => holdSteps(view, () => times(view, stopped)), 2), soon(holdMidway)]

/** By runs that the owners of other clusters look at as well. */
const inWaves = (view: ClusterView): Promise<void> => placeInWaves(view)

const rounds = new WeakMap<ClusterView, Rounds[]>()

/**
 * Places changes in the waves of their policies, has held groups roll as policies say, stops what fails too often, and holds
 * changes to that, to windows and freezes, and to somebody's pause: no event tells that a window begins or ends, or that a
 * machine was to be Ready by now. What has to be held waits for nothing that is let go, nor for the waves of all clusters, nor for
 * whether approvals expired.
 * Besides, what goes machine by machine, how old holds are, and which approvals expired.
 */
export const calendarConsumer: Consumer = {
  name: 'calendar',
  resources: [],
  afterRows: false,
  onSynced: (view) => {
    const each = [[inWaves], [stopFailing, times], [goInTime], [shape], [expireUnbegun, words]].map((work) =>
      startRounds((stopped) => round(view, work, stopped), ROUND_MS),
    )
    rounds.set(view, [
      ...each,
      startRounds((stopped) => round(view, steps, stopped), STEPS_MS),
      startRounds((stopped) => round(view, [approved], stopped), WORDS_MS),
      startRounds((stopped) => round(view, [ageHolds, tellExpired], stopped), AGES_MS),
    ])
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => {
    for (const one of rounds.get(view) ?? []) void one.stop()
  },
}

type Work = (view: ClusterView, stopped: () => boolean) => Promise<void>

/** One after the other, whatever becomes of the one before. */
async function round(view: ClusterView, works: Work[], stopped: () => boolean): Promise<void> {
  for (const work of works) await repeated(view, work, stopped)
}

async function repeated(view: ClusterView, work: Work, stopped: () => boolean): Promise<void> {
  try {
    await work(view, stopped)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'calendar' })
    log.warn({ err, cluster: view.name }, 'what policies say of a rollout could not be followed; it will be repeated')
  }
}
