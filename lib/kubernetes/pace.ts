import { setImmediate as turn } from 'node:timers/promises'

/** Longest piece of work without a turn of the event loop. */
const SLICE_MS = 5

/** For loops whose next item is often there at once: they would keep the event loop from everything else. */
export class Pace {
  private since = performance.now()

  /** A promise where it is time to let others work; nothing while there is time left. */
  rest(): Promise<void> | undefined {
    return performance.now() - this.since < SLICE_MS ? undefined : this.turn()
  }

  private async turn(): Promise<void> {
    await turn()
    this.since = performance.now()
  }
}
