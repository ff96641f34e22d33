import type { Silence } from './silence'
import type { ClusterView, Consumer } from './types'

const LOOK_MS = 2_000

interface Looking {
  view: ClusterView
  timer: NodeJS.Timeout
  /** What was silent when it was judged last. */
  seen: string
  busy: boolean
}

/** `operator`: of what only says something beside, and nothing is unknown without. */
type Silent = Pick<Silence, 'streams'> & { operator?: boolean }

export interface Told<S> {
  name: string
  /** What is silent, also where it was never heard. */
  silent(view: ClusterView): S
  /** False: it was not judged yet. */
  judgeAnew(view: ClusterView): Promise<boolean>
  /** Nothing of it was listed since this worker follows it. */
  writeUnread(view: ClusterView, silent: S): Promise<void>
}

/** Sees that what something is judged by is not heard any more, or again: nothing that comes would tell. */
export function hearing<S extends Silent>(told: Told<S>): Consumer {
  const looking = new Map<string, Looking>()

  function stop(clusterId: string): void {
    clearInterval(looking.get(clusterId)?.timer)
    looking.delete(clusterId)
  }

  /** What could not be written is looked at again in the next round. */
  async function look(view: ClusterView): Promise<void> {
    const state = looking.get(view.clusterId)
    if (!state || state.view !== view || state.busy) return
    const silent = told.silent(view)
    const seen = JSON.stringify(silent)
    if (seen === state.seen || (state.seen === '' && silent.streams.length === 0 && !silent.operator)) return
    state.busy = true
    try {
      if (!(await told.judgeAnew(view))) await told.writeUnread(view, silent)
      state.seen = seen
    } catch {
      state.seen = state.seen || ' '
    } finally {
      state.busy = false
    }
  }

  return {
    name: told.name,
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
}
