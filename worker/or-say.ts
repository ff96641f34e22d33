import type { Unheard } from '@/lib/domain/unheard'
import type { ClusterView } from './types'

const AGAIN_AND_AGAIN = 3

const NOT_WRITTEN: Unheard = {
  what: 'state',
  message: 'Drydock itself has failed again and again to judge it or to keep what it found; the worker’s log says why',
}

type OrSay = <T>(view: ClusterView, work: () => Promise<T>, said: () => void) => Promise<T>

/**
 * What cannot be judged or written, however often it is tried, may not leave what stands there as if it were of now: `say` writes that
 * it is not known.
 */
export function orSaying(say: (view: ClusterView, unheard: Unheard) => Promise<void>): OrSay {
  /** How often in a row it failed. */
  const failed = new WeakMap<ClusterView, number>()
  return async (view, work, said) => {
    try {
      const done = await work()
      failed.delete(view)
      return done
    } catch (error) {
      const times = (failed.get(view) ?? 0) + 1
      failed.set(view, times)
      if (times >= AGAIN_AND_AGAIN) {
        said()
        await say(view, NOT_WRITTEN).catch(() => undefined)
      }
      throw error
    }
  }
}
