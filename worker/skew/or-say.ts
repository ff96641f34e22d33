import type { ClusterView } from '../types'
import { writeUnread } from './write-unread'

/** How often in a row it failed. */
const failed = new WeakMap<ClusterView, number>()
const AGAIN_AND_AGAIN = 3

const NOT_WRITTEN = {
  what: 'state',
  message: 'Drydock itself has failed again and again to judge it or to keep what it found; the worker’s log says why',
}

/** What cannot be judged or written, however often it is tried, may not leave the card as if what it says were of now. */
export async function orSay<T>(view: ClusterView, work: () => Promise<T>, said: () => void): Promise<T> {
  try {
    const done = await work()
    failed.delete(view)
    return done
  } catch (error) {
    const times = (failed.get(view) ?? 0) + 1
    failed.set(view, times)
    if (times >= AGAIN_AND_AGAIN) {
      said()
      const silent = { verdict: NOT_WRITTEN, images: null, record: null, operator: false, streams: [] }
      await writeUnread(view, silent).catch(() => undefined)
    }
    throw error
  }
}
