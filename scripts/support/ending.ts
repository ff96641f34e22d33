/** What was started, ended in the opposite order: once, whoever asks, and also when something fails on the way. */
export class Ending {
  private readonly stops: (() => Promise<void>)[] = []
  private running: Promise<void> | undefined

  /** Whether somebody asked for the end. */
  get begun(): boolean {
    return this.running !== undefined
  }

  add(stop: () => Promise<void>): void {
    if (this.running) void stop()
    else this.stops.unshift(stop)
  }

  run(): Promise<void> {
    return (this.running ??= (async () => {
      for (const stop of this.stops) await stop().catch((error: unknown) => console.error(String(error)))
    })())
  }

  /**
   * Ctrl-C and SIGTERM end everything in order; a later second one ends us at once (the guards end the rest). npm passes
   * on what the terminal has sent already, so the same Ctrl-C may come twice.
   */
  onSignals(say: (line: string) => void): void {
    let first = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (first && Date.now() - first > 1_000) process.exit(130)
        if (first) return
        first = Date.now()
        say('Stopping …')
        void this.run().then(() => process.exit(0))
      })
    }
  }
}

/** Runs a script's main part; what goes wrong is one sentence, not a stack. */
export async function main(ending: Ending, part: () => Promise<void>): Promise<void> {
  ending.onSignals((line) => console.log(line))
  try {
    await part()
  } catch (error) {
    console.error((error as Error).message)
    await ending.run()
    process.exit(1)
  }
}
