import { may, type Ctx } from '../context'

const PAUSE_MS = 5000
const asked = new Map<string, number>()

/**
 * Whether a cluster is asked again because somebody wants to look: for whoever may not change it at most once in a few
 * seconds, all of them together. In between they read what the last look found.
 */
export function mayLookNow(ctx: Ctx, what: string, now = Date.now()): boolean {
  return may(ctx.actor.role, 'clusters:write') || isFirst(what, now)
}

/** Whether nobody asked for that in the last few seconds. */
export function isFirst(what: string, now = Date.now()): boolean {
  if (now - (asked.get(what) ?? -Infinity) < PAUSE_MS) return false
  asked.set(what, now)
  return true
}
