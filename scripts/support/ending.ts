import { errorText } from '@/lib/error-text'

/** The start was cut short: somebody asked for the end. */
export class Ended extends Error {
  constructor() {
    super('Stopped before it was ready.')
  }
}

/** How long the part that is still starting gets to give up by itself. */
const UNWIND_MS = 30_000
/** npm passes on what the terminal has sent already, so the same Ctrl-C may come twice. */
const SAME_MS = 2_000

/** What was started, ended in the opposite order: once, whoever asks, also when something fails on the way. */
export class Ending {
  private readonly stops: (() => Promise<void>)[] = []
  private readonly late: Promise<void>[] = []
  private readonly abort = new AbortController()
  private running: Promise<void> | undefined
  private part: Promise<unknown> = Promise.resolve()

  /** Whether somebody asked for the end. */
  get begun(): boolean {
    return this.running !== undefined
  }

  /** Aborted when the end begins. */
  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** What comes after the end has begun is stopped at once, and whoever started it does not go on. */
  add(stop: () => Promise<void>): void {
    if (!this.running) return void this.stops.unshift(stop)
    this.late.push(quietly(stop))
    throw new Ended()
  }

  /** Waits for what need not be stopped by itself, but no longer than until the end begins. */
  unless<T>(waited: Promise<T>): Promise<T> {
    waited.catch(() => {}) // nobody listens any more once we have gone
    return new Promise<T>((resolve, reject) => {
      const end = (): void => reject(new Ended())
      if (this.begun) end()
      this.signal.addEventListener('abort', end, { once: true })
      waited.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', end))
    })
  }

  /** Runs the part that starts things; the end waits until it has given up. */
  async runs(part: () => Promise<void>): Promise<void> {
    this.part = part()
    await this.part
  }

  run(): Promise<void> {
    return (this.running ??= (async () => {
      await Promise.resolve() // `running` is set before anybody hears of it
      this.abort.abort(new Ended())
      for (const stop of this.stops) await quietly(stop)
      let timer: NodeJS.Timeout | undefined
      const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, UNWIND_MS)))
      await Promise.race([this.part.catch(() => {}), enough])
      clearTimeout(timer)
      await Promise.all(this.late)
    })())
  }

  /** Ctrl-C, SIGTERM and a closed terminal end everything in order; a later second one ends us at once (the guards end the rest). */
  onSignals(say: (line: string) => void): void {
    let first = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (first && Date.now() - first > SAME_MS) process.exit(130)
        if (first) return
        first = Date.now()
        say('Stopping …')
        void this.run().then(() => process.exit(0))
      })
    }
    // npm passes no signal on: where it was ended, its script is left without it, and with everything that it started.
    const parent = process.ppid
    const orphaned = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(orphaned)
      if (process.env.npm_lifecycle_event) process.kill(process.pid, 'SIGTERM')
    }, 1_000).unref()
    // A terminal that has gone takes no more words; that is no reason to stop in the middle.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  }
}

const quietly = (stop: () => Promise<void>): Promise<void> =>
  stop().catch((error: unknown) => console.error(String(error)))

/** Runs a script's main part; what goes wrong is one sentence, not a stack. */
export async function main(ending: Ending, part: () => Promise<void>): Promise<void> {
  ending.onSignals((line) => console.log(line))
  try {
    await ending.runs(part)
  } catch (error) {
    if (ending.begun) return // what fails because everything is stopped is no news
    console.error(errorText(error as Error))
    await ending.run()
    process.exit(1)
  }
}
