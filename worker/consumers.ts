import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import { Coalescer } from './coalesce'
import type { Log } from './log'
import { consumerSeconds, failures } from './metrics'
import type { ClusterView, Consumer, ObjectChange } from './types'

/** One consumer of one cluster: told once when its lists are in, then of changes, newest state per uid, rows written first. */
export class ConsumerRun {
  private readonly changes: Coalescer<ObjectChange>
  private readonly abort = new AbortController()
  private readonly wants: Set<string>
  private readonly needs: string[]
  private begun = false

  constructor(
    private readonly consumer: Consumer,
    private readonly view: ClusterView,
    private readonly written: () => Promise<void>,
    private readonly log: Log,
  ) {
    this.wants = new Set(consumer.resources)
    this.needs = consumer.resources.filter((resource) => !consumer.optional?.includes(resource))
    this.changes = new Coalescer({
      intervalMs: 150,
      max: 2000,
      merge: (waiting, newer) => ({ ...newer, heardAt: waiting.heardAt }),
      flush: async (batch) => {
        await this.rows()
        if (this.abort.signal.aborted) return
        const done = consumerSeconds.startTimer({ cluster: view.name, consumer: consumer.name })
        await consumer.onChanges(view, [...batch.values()])
        done()
      },
      failed: (error) => {
        this.report(error, 'a batch of changes')
        return false
      },
    })
    this.changes.pause()
  }

  /** Its resources have all been listed: begins once. `ready` names those that have. */
  begin(served: Set<string>, ready: Set<string>): void {
    if (this.begun || this.needs.some((resource) => served.has(resource) && !ready.has(resource))) return
    this.begun = true
    void this.sync()
  }

  take(change: ObjectChange): void {
    // By uid: an object deleted and made anew under its name is two, and the deletion is told before the new one.
    if (this.begun && this.wants.has(change.resource))
      this.changes.set(`${change.resource}/${change.object.metadata.uid}`, change)
  }

  stop(): void {
    this.abort.abort()
    this.changes.stop()
    if (this.begun) this.consumer.forget?.(this.view)
  }

  private rows(): Promise<void> {
    return this.consumer.afterRows === false ? Promise.resolve() : this.written()
  }

  private async sync(): Promise<void> {
    for (let attempt = 0; !this.abort.signal.aborted; attempt++) {
      try {
        await this.rows()
        if (this.abort.signal.aborted) return
        await this.consumer.onSynced(this.view)
        this.changes.resume()
        return
      } catch (error) {
        this.report(error, 'the first view')
        await pause(backoffDelay(attempt, { floorMs: 250, capMs: 10_000 }), this.abort.signal)
      }
    }
  }

  private report(error: unknown, what: string): void {
    failures.inc({ cluster: this.view.name, what: this.consumer.name })
    const { name } = this.consumer
    this.log.error(
      { err: error, consumer: name, cluster: this.view.name },
      `${name} failed on ${what}; it will be repeated`,
    )
  }
}
