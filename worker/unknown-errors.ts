import type { Pool } from 'pg'
import { countedBefore, UNKNOWN_KEPT, writeUnknownErrors, type Counted } from '@/lib/db/read-model/unknown-errors'
import { unknownKey, type UnknownError } from '@/lib/domain/errors'
import type { MachineRow } from '@/lib/domain/rows'
import { Coalescer } from './coalesce'

export interface UnknownErrorsOptions {
  pool: Pool
  clusterId: string
  intervalMs?: number
  failed(error: unknown): void
}

/**
 * Counts the errors of one cluster's machines that nobody knows, once per machine and error, however often the machine is
 * heard of. It writes on its own: the projection waits for nothing, and what cannot be kept is lost without a trace.
 */
export class UnknownErrors {
  /** Machine -> the error that it was last counted with. As many as there are machines with such an error. */
  private readonly last = new Map<string, string>()
  private readonly pending: Coalescer<Counted>
  private readonly before: Promise<Map<string, string>>
  private known: Map<string, string> | undefined
  private early: (() => void)[] = []
  private stopped = false

  constructor(private readonly options: UnknownErrorsOptions) {
    const { pool, clusterId, intervalMs = 2_000, failed } = options
    this.pending = new Coalescer({
      intervalMs,
      delayMs: Math.min(500, intervalMs),
      max: UNKNOWN_KEPT,
      flush: (batch) => writeUnknownErrors(pool, [...batch.values()]),
      merge: (waiting, newer) => ({ ...newer, count: waiting.count + newer.count }),
      failed: (error) => {
        failed(error)
        return false
      },
    })
    // What is in the database was counted by whoever wrote it; without an answer everything counts as new.
    this.before = countedBefore(pool, clusterId).catch(() => new Map<string, string>())
    void this.before.then((known) => {
      this.known = known
      for (const note of this.early.splice(0)) note()
    })
  }

  note(machine: Pick<MachineRow, 'id' | 'error'>, unknown: UnknownError | undefined): void {
    if (this.stopped) return
    if (!unknown) {
      if (this.last.size > 0) this.last.delete(machine.id)
      return
    }
    const key = unknownKey(unknown)
    if (this.last.get(machine.id) === key) return
    this.last.set(machine.id, key)
    if (this.known) this.count(machine, unknown, key)
    else if (this.early.length < EARLY) this.early.push(() => this.count(machine, unknown, key))
  }

  forget(id: string): void {
    this.last.delete(id)
  }

  /** Everything that was noted is in the database. */
  async flushed(): Promise<void> {
    await this.before
    await this.pending.flushed()
  }

  stop(): void {
    this.stopped = true
    this.pending.stop()
    this.last.clear()
    this.early = []
  }

  private count({ id, error }: Pick<MachineRow, 'id' | 'error'>, unknown: UnknownError, key: string): void {
    // Whatever differs so much that this is full says nothing that 500 others do not.
    if (this.stopped || this.pending.size >= UNKNOWN_KEPT) return
    const again = this.known?.get(id) === error
    this.known?.delete(id)
    this.pending.set(key, { ...unknown, count: again ? 0 : 1 })
  }
}

const EARLY = 20_000
