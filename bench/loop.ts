import { readFileSync } from 'node:fs'

const EVERY_MS = 5

export interface LoopFigures {
  /** Longest time in which the event loop did not turn, waiting for a core included. */
  maxLoopStallMs: number
  /** How much of a stall this thread ran itself: what it would be where no other process wants the core. */
  maxLoopBusyMs: number
  p99LoopBusyMs: number
}

/** How long the event loop of this process does not turn, from now until stopped. */
export function watchLoop(): () => LoopFigures {
  const whole: number[] = []
  const busy: number[] = []
  let before = { at: performance.now(), ran: ranMs() }
  const timer = setInterval(() => {
    const now = { at: performance.now(), ran: ranMs() }
    const stall = Math.max(0, now.at - before.at - EVERY_MS)
    whole.push(stall)
    busy.push(Math.min(stall, now.ran - before.ran))
    before = now
  }, EVERY_MS)
  return () => {
    clearInterval(timer)
    busy.sort((a, b) => a - b)
    return {
      maxLoopStallMs: Math.round(Math.max(0, ...whole)),
      maxLoopBusyMs: Math.round(busy.at(-1) ?? 0),
      p99LoopBusyMs: Math.round(busy[Math.floor(busy.length * 0.99)] ?? 0),
    }
  }
}

/** How long the main thread ran, as Linux tells; elsewhere a stall counts whole. */
function ranMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}
