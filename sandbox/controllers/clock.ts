/** Simulated seconds: everything that takes time goes through here, so that tests run it fast and stop() ends it all. */
export class Clock {
  private timers = new Set<NodeJS.Timeout>()
  stopped = false

  constructor(readonly speed: number) {}

  ms(seconds: number) {
    return (seconds * 1000) / this.speed
  }

  after(ms: number, run: () => void): () => void {
    if (this.stopped) return () => undefined
    const timer = setTimeout(
      () => {
        this.timers.delete(timer)
        run()
      },
      Math.min(ms, 2 ** 31 - 1),
    )
    this.timers.add(timer)
    return () => {
      clearTimeout(timer)
      this.timers.delete(timer)
    }
  }

  stop() {
    this.stopped = true
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
  }
}

/** As the API writes times: whole seconds. */
export const timestamp = (ms = Date.now()) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** Go durations as they stand in startupDuration: "1s", "1m30s", "250ms". Seconds. */
export function durationSeconds(text: unknown): number {
  if (typeof text !== 'string') return 0
  const unit: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }
  return [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, u]) => sum + Number(n) * (unit[u ?? ''] ?? 0), 0)
}
