import type { Pool } from 'pg'
import type { Log } from './log'
import { clockAhead } from './metrics'

const LOOK_MS = 30_000
/** What still goes by it is the dates of groups. */
const LIMIT_S = 30

/** Looks now and then how far this worker's clock is from the database's, by which all workers agree; says so where it matters. */
export class Clock {
  /** What is wrong, in a sentence; null: nothing. */
  wrong: string | null = null
  private lookedAt = -Infinity

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly log: Log,
  ) {}

  async look(): Promise<void> {
    const began = performance.now()
    if (began - this.lookedAt < LOOK_MS) return
    // One at a time, also where it takes long.
    this.lookedAt = began
    const { rows } = await this.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const tookMs = performance.now() - began
    // It was read at some moment in between.
    const ahead = (Date.now() - tookMs / 2 - rows[0]!.now.getTime()) / 1000
    clockAhead.set(ahead)
    const wrong = Math.abs(ahead) - tookMs / 2000 > LIMIT_S ? wordsOf(ahead) : null
    if ((wrong === null) !== (this.wrong === null)) {
      if (wrong) this.log.error({ aheadSeconds: Math.round(ahead) }, wrong)
      else this.log.info('the clock is right')
    }
    this.wrong = wrong
  }
}

const wordsOf = (ahead: number): string =>
  `The clock of this worker is ${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's: the dates of groups (rollout.after) go by it.`
