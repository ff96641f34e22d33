export interface Rounds {
  /** Begins no other round, and waits for the one that runs. */
  stop(): Promise<void>
}

/** Runs `round`, then again and again, `intervalMs` after the one before has ended. `round` throws nothing. */
export function startRounds(round: (stopped: () => boolean) => Promise<void>, intervalMs: number): Rounds {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const go = async (): Promise<void> => {
    await round(() => stopped)
    if (!stopped) timer = setTimeout(() => (running = go()), intervalMs)
  }
  let running = go()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
