import type { LatchStatus } from './status'
import { watchNow, watchStatus } from './watch-now'

const DEADLINE_MS = 8000

/** Whether Drydock watches the groups; where it was only just asked to, a worker takes a moment to look at them all. */
export async function untilWatched(clusterId: string, patiently = false): Promise<LatchStatus> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await new Promise((resolve) => setTimeout(resolve, 250))) {
    const status = watchStatus((await watchNow(clusterId)) ?? NOT_ANY_MORE)
    if (status.state !== 'not-watching' || !patiently || Date.now() > deadline) return status
  }
}

const NOT_ANY_MORE = {
  down: 'it is watched no longer',
  since: null,
  unpaused: [],
  unseen: null,
  notPausable: [],
  poolsOnly: false,
}
