export interface Rounds {
  /** Begins no other round, and waits for the one that runs. */
  stop(): Promise<void>
  /** The next round begins now, or as soon as the one that runs has ended. */
  soon(): void
}

/** Runs `round`, then again and again, `intervalMs` after the one before has ended. `round` throws nothing. */
export function startRounds(round: (stopped: () => boolean) => Promise<void>, intervalMs: number): Rounds {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let hurried = false
  const go = async (): Promise<void> => {
    timer = undefined
    hurried = false
    await round(() => stopped)
    if (!stopped) timer = setTimeout(() => (running = go()), hurried ? 0 : intervalMs)
  }
  let running = go()
  return {
    soon: () => {
      hurried = true
      if (stopped || timer === undefined) return
      clearTimeout(timer)
      timer = setTimeout(() => (running = go()), 0)
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
