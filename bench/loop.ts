import { readFileSync } from 'node:fs'

const EVERY_MS = 5

export interface LoopFigures {
  /** Longest time in which the event loop did not turn. */
  maxLoopStallMs: number
  /** The same, without the time in which this thread was ready and other processes had all cores; as before where that is not told. */
  maxLoopStallOwnMs: number
  p99LoopStallOwnMs: number
}

/** How long the event loop of this process does not turn, from now until stopped. */
export function watchLoop(): () => LoopFigures {
  const stalls: { whole: number; own: number }[] = []
  let before = { at: performance.now(), waited: waitedMs() }
  const timer = setInterval(() => {
    const now = { at: performance.now(), waited: waitedMs() }
    const whole = Math.max(0, now.at - before.at - EVERY_MS)
    stalls.push({ whole, own: Math.max(0, whole - (now.waited - before.waited)) })
    before = now
  }, EVERY_MS)
  return () => {
    clearInterval(timer)
    const own = stalls.map((stall) => stall.own).sort((a, b) => a - b)
    return {
      maxLoopStallMs: Math.round(Math.max(0, ...stalls.map((stall) => stall.whole))),
      maxLoopStallOwnMs: Math.round(own.at(-1) ?? 0),
      p99LoopStallOwnMs: Math.round(own[Math.floor(own.length * 0.99)] ?? 0),
    }
  }
}

/** Linux tells of the main thread how long it ran, and how long it waited for a core. */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
