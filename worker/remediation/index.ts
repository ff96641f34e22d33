import { log } from '../log'
import { failures } from '../metrics'
import { inMoments, startRounds, type Rounds } from '../rounds'
import type { ClusterView, Consumer } from '../types'
import { forgetOver } from './forget'
import { noteIll } from './ill'
import { skipWhereAsked } from './skip'
import { noteUntaken } from './untaken'

const ROUND_MS = 2_000
/** A machine that was found ill may be gone in seconds; a look costs nothing where there is none. */
const ILL_MS = 500
/** Nobody waits for it. */
const SLOW_MS = 30_000

const rounds = new WeakMap<ClusterView, Rounds[]>()

/**
 * Has remediation of machines skipped while they are updated in place, where somebody asked for that, and restores what was
 * there: by rounds over the rows, so that a worker which takes over finds what the one before left.
 */
export const remediationConsumer: Consumer = {
  name: 'remediation',
  resources: [],
  onSynced: (view) => {
    const refused = new Map<string, number>()
    // What hangs goes on beside the next rounds.
    const skip = inMoments((of: ClusterView, stopped) => repeated(of, () => skipWhereAsked(of, refused, stopped)), {
      ms: ROUND_MS,
      atOnce: 8,
    })
    rounds.set(view, [
      startRounds((stopped) => skip(view, stopped), ROUND_MS),
      startRounds(() => repeated(view, () => noteIll(view)), ILL_MS),
      startRounds(() => repeated(view, () => noteUntaken(view)), SLOW_MS),
      startRounds(() => repeated(view, () => forgetOver(view)), SLOW_MS),
    ])
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => {
    for (const one of rounds.get(view) ?? []) void one.stop()
  },
}

async function repeated(view: ClusterView, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'remediation' })
    log.warn({ err, cluster: view.name }, 'remediation could not be skipped or restored; it will be repeated')
  }
}
