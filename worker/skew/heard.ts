import type { ClusterView, Consumer } from '../types'
import { judgeAnew } from './index'
import { silentParts } from './silent'
import { writeUnread } from './write-unread'

const LOOK_MS = 2_000

/** By cluster: whose view it is, and what was silent when it was judged last. */
const looking = new Map<string, { view: ClusterView; timer: NodeJS.Timeout; seen: string; busy: boolean }>()

/** Sees that what boot images rest on is not heard any more, or again: nothing that comes would tell. */
export const heardConsumer: Consumer = {
  name: 'skew heard',
  resources: [],
  afterRows: false,

  onSynced(view: ClusterView): Promise<void> {
    stop(view.clusterId)
    if (!view.capabilities.openshift) return Promise.resolve()
    const timer = setInterval(() => void look(view), LOOK_MS).unref()
    looking.set(view.clusterId, { view, timer, seen: '', busy: false })
    return Promise.resolve()
  },

  onChanges: () => Promise.resolve(),

  forget(view: ClusterView): void {
    if (looking.get(view.clusterId)?.view === view) stop(view.clusterId)
  },
}

function stop(clusterId: string): void {
  clearInterval(looking.get(clusterId)?.timer)
  looking.delete(clusterId)
}

/** What could not be written is looked at again in the next round. */
export async function look(view: ClusterView): Promise<void> {
  const state = looking.get(view.clusterId)
  if (!state || state.view !== view || state.busy) return
  const silent = silentParts(view, null, true)
  const seen = JSON.stringify(silent)
  if (seen === state.seen || (state.seen === '' && silent.streams.length === 0)) return
  state.busy = true
  try {
    if (!(await judgeAnew(view))) await writeUnread(view, silent)
    state.seen = seen
  } catch {
    state.seen = state.seen || ' '
  } finally {
    state.busy = false
  }
}
