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

/**
 * What is waited for no longer than `ms`, and goes on. Of one kind, `atOnce` go on at most: a database that is slow is not asked the more
 * for it.
 */
export function inMoments<Of extends object>(
  work: (of: Of, stopped: () => boolean) => Promise<void>,
  { ms, atOnce }: { ms: number; atOnce: number },
): (of: Of, stopped: () => boolean) => Promise<void> {
  const begun = new WeakMap<Of, number>()
  const count = (of: Of, by: number) => void begun.set(of, (begun.get(of) ?? 0) + by)
  return async (of, stopped) => {
    if ((begun.get(of) ?? 0) >= atOnce) return
    count(of, 1)
    const whole = work(of, stopped).finally(() => count(of, -1))
    await forMoments(whole, ms)
  }
}

/** Until it has ended, and no longer than `ms`: it goes on by itself then. */
export async function forMoments(whole: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms).unref()))
  await Promise.race([whole, over]).finally(() => clearTimeout(timer))
}
