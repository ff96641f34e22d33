import type { ClusterView } from '../types'
import { writeUnread } from './write-unread'

/** How often in a row it failed, by cluster. */
const failed = new Map<string, number>()
const AGAIN_AND_AGAIN = 3

const NOT_WRITTEN = {
  what: 'state',
  message: 'Drydock itself has failed again and again to judge it or to keep what it found; the worker’s log says why',
}

/** What cannot be judged or written, however often it is tried, may not leave the card as if what it says were of now. */
export async function orSay<T>(view: ClusterView, work: () => Promise<T>, said: () => void): Promise<T> {
  const { clusterId } = view
  try {
    const done = await work()
    failed.delete(clusterId)
    return done
  } catch (error) {
    const times = (failed.get(clusterId) ?? 0) + 1
    failed.set(clusterId, times)
    if (times >= AGAIN_AND_AGAIN) {
      said()
      const silent = { verdict: NOT_WRITTEN, images: null, record: null, operator: false, streams: [] }
      await writeUnread(view, silent).catch(() => undefined)
    }
    throw error
  }
}
