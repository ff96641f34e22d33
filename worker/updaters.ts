import { doubtAnswers } from '@/lib/services/updaters/ask-once'
import { forgetHandlers } from '@/lib/services/updaters/transport'
import type { Log } from './log'
import { askAnew } from './planner'

/** Somebody changed the updaters of these clusters, or had one asked anew: at once, and not when it is looked at next. */
export function updatersChanged(clusters: readonly string[], log: Log): void {
  forgetHandlers()
  doubtAnswers()
  for (const cluster of clusters)
    askAnew(cluster).catch((err: unknown) => log.warn({ err, cluster }, 'what waits is planned again later'))
}
