import { log } from '../log'
import { failures } from '../metrics'
import { startRounds, type Rounds } from '../rounds'
import type { ClusterView, Consumer } from '../types'
import { noteIll } from './ill'
import { skipWhereAsked } from './skip'

const ROUND_MS = 2_000

const rounds = new WeakMap<ClusterView, Rounds>()

/**
 * Has remediation of machines skipped while they are updated in place, where somebody asked for that, and restores what was
 * there: by rounds over the rows, so that a worker which takes over finds what the one before left.
 */
export const remediationConsumer: Consumer = {
  name: 'remediation',
  resources: [],
  onSynced: (view) => {
    const refused = new Map<string, number>()
    rounds.set(
      view,
      startRounds((stopped) => round(view, refused, stopped), ROUND_MS),
    )
    return Promise.resolve()
  },
  onChanges: () => Promise.resolve(),
  forget: (view) => void rounds.get(view)?.stop(),
}

async function round(view: ClusterView, refused: Map<string, number>, stopped: () => boolean): Promise<void> {
  try {
    await noteIll(view)
    await skipWhereAsked(view, refused, stopped)
  } catch (err) {
    failures.inc({ cluster: view.name, what: 'remediation' })
    log.warn({ err, cluster: view.name }, 'remediation could not be skipped or restored; it will be repeated')
  }
}
