import { backoffDelay, pause, type BackoffOptions } from './backoff'
import { Pace } from './pace'
import { objectKey } from './paths'
import { KubeError, type KubeClient, type KubeObject, type Resource, type PageOptions, type Status } from './types'
import { WatchSilent } from './watch'

export type StreamState = 'listing' | 'watching' | 'backoff' | 'stopped' | 'absent'

export interface StreamStatus {
  state: StreamState
  /** Since when it is in that state, in ms since epoch. */
  at: number
  objects: number
  /** Of objects: without bookmarks. */
  events: number
  /** Complete lists after the first. */
  relists: number
  /** True from the first complete list on. */
  synced: boolean
  resourceVersion?: string
  /** ms since epoch: newest byte of sense from the server. */
  lastHeardAt?: number
  /** ms since epoch: what happened until then was handed on. Of a list, which is as of its first page, when it was asked for. */
  seenAt?: number
  /** Why it is not watching. */
  message?: string
  /** HTTP code of the last refusal, where there was an answer. */
  code?: number
  /** Nothing has come since it failed at that moment (ms since epoch), and why it failed last. */
  failing?: { since: number; message: string; code?: number }
}

/** Who takes the objects. Nothing is kept by the reflector but keys, uids and versions. */
export interface ReflectorSink {
  upsert(object: KubeObject, heardAt: number): void | Promise<void>
  /** `object` as the server sent it with the deletion; absent where a relist found it gone. */
  remove(key: string, uid: string, heardAt: number, object?: KubeObject): void | Promise<void>
  /** A list is complete: what was not seen is gone. `first`: the first of this reflector. */
  synced(first: boolean): void | Promise<void>
  changed?(status: StreamStatus): void
}

export interface ReflectorOptions {
  client: Pick<KubeClient, 'pages' | 'watch'>
  resource: Resource
  namespace?: string
  fieldSelector?: string
  pageSize?: number
  dropManagedFields?: boolean
  backoff?: Partial<BackoffOptions>
  sink: ReflectorSink
}

export interface Reflector {
  status(): StreamStatus
  /** uids of all objects that it knows of. */
  uids(): string[]
  /** Ends a back-off: the server is known to answer again. */
  wake(): void
  stop(): Promise<void>
}

const FLOOR_MS = 500
const CAP_MS = 30_000
/** A watch that lived this long, or brought something, was a good one: the next begins without a penalty. */
const GOOD_MS = 10_000
/** What happened while a watch was away comes in so long, at the most, once it brings something: until when, only a bookmark tells. */
const BEHIND_MS = 10_000
/** Watches in a row that the server answered without bringing anything; then the list is read anew. */
const FRUITLESS = 4

/** Thrown by a watch or a list whose version the server no longer has. */
class Gone extends Error {}

/** List, then watch, for ever: resumes where it was, lists anew when the server has forgotten, never in a hot loop. */
export function startReflector(options: ReflectorOptions): Reflector {
  const run = new Run(options)
  const done = run.loop()
  return {
    status: () => ({ ...run.status }),
    uids: () => run.uids(),
    wake: () => run.wake(),
    stop: async () => {
      run.abort.abort()
      await done
    },
  }
}

class Run {
  readonly abort = new AbortController()
  readonly status: StreamStatus = { state: 'listing', at: Date.now(), objects: 0, events: 0, relists: 0, synced: false }
  /** "uid version" by key, to find what a relist no longer has and to pass over what did not change. */
  private known = new Map<string, string>()
  private attempt = 0
  /** Also bookmarks, which are no events of any object, and tell that the watch is alive. */
  private heard = 0
  private fruitless = 0
  private resumeFrom: string | undefined
  /** After Gone nothing older may be asked for; otherwise never accept a list older than what was seen. */
  private notOlderThan: string | undefined
  private partial: { seen: Set<string>; next: string | undefined; since: number } | undefined
  private alarm = new AbortController()

  constructor(private readonly options: ReflectorOptions) {}

  wake(): void {
    this.alarm.abort()
  }

  uids(): string[] {
    return Array.from(this.known.values(), uidOf)
  }

  async loop(): Promise<void> {
    while (!this.abort.signal.aborted) {
      const startedAt = Date.now()
      const heardBefore = this.heard
      let failure: unknown
      try {
        if (this.resumeFrom === undefined) await this.list()
        await this.watch()
      } catch (error) {
        failure = error
      }
      if (this.abort.signal.aborted) break
      const lived = failure === undefined && Date.now() - startedAt > GOOD_MS
      this.judge(failure, lived || this.heard > heardBefore)
      await this.rest(failure)
    }
    this.set('stopped')
  }

  private judge(failure: unknown, good: boolean): void {
    if (good) this.attempt = this.fruitless = 0
    if (good && failure === undefined) this.status.failing = undefined
    const answered = failure instanceof KubeError || failure instanceof WatchSilent
    if (failure instanceof Gone) {
      this.resumeFrom = this.notOlderThan = this.partial = undefined
    } else if (this.resumeFrom === undefined) {
      // Refused in the middle of a list: its token may be what the server refuses. A refused start: a server restored
      // from a backup does not know so new a version; ask for what it has.
      if (failure instanceof KubeError && !isPassing(failure.code)) this.partial = undefined
      if (failure instanceof KubeError) this.notOlderThan = undefined
    } else if (!good && answered && ++this.fruitless >= FRUITLESS) {
      this.notOlderThan = this.resumeFrom
      this.resumeFrom = undefined
      this.fruitless = 0
    }
  }

  private async rest(failure: unknown): Promise<void> {
    const { floorMs = FLOOR_MS, capMs = CAP_MS } = this.options.backoff ?? {}
    this.status.code = failure instanceof KubeError ? failure.code : undefined
    const absent = failure instanceof KubeError && failure.code === 404
    if (failure !== undefined) {
      const { since = Date.now() } = this.status.failing ?? {}
      this.status.failing = { since, message: (failure as Error).message, code: this.status.code }
    }
    // A watch that the server ended after a good while is the usual course of things, not a failure.
    if (failure !== undefined) this.set(absent ? 'absent' : 'backoff', (failure as Error).message)
    this.alarm = new AbortController()
    await pause(backoffDelay(this.attempt, { floorMs, capMs }), this.abort.signal, this.alarm.signal)
    this.attempt++
  }

  private async list(): Promise<void> {
    const { client, resource, namespace, fieldSelector, pageSize = 500, dropManagedFields, sink } = this.options
    this.set('listing')
    // A list that was cut off goes on with the page it was at, not from the start.
    const begun = this.partial?.next ? this.partial : undefined
    const partial = begun ?? { seen: new Set<string>(), next: undefined, since: Date.now() }
    this.partial = partial
    const newest = { resourceVersion: this.notOlderThan, resourceVersionMatch: 'NotOlderThan' } as const
    const from: PageOptions = partial.next ? { continue: partial.next } : this.notOlderThan ? newest : {}
    const how = { limit: pageSize, fieldSelector, dropManagedFields, signal: this.abort.signal }
    const pace = new Pace()
    let resourceVersion = ''
    for await (const page of goneIn(client.pages(resource, namespace, { ...how, ...from }))) {
      this.status.lastHeardAt = Date.now()
      for (const object of page.items) {
        const key = objectKey(object)
        partial.seen.add(key)
        // Nothing to wait for, mostly: then not even a turn of the microtasks.
        const wait = this.take(key, object) ?? pace.rest()
        if (wait) await wait
      }
      partial.next = page.continue
      resourceVersion = page.resourceVersion
    }
    this.partial = undefined
    await this.forget(partial.seen)
    const first = !this.status.synced
    if (!first) this.status.relists++
    this.status.synced = true
    this.status.failing = undefined
    this.status.seenAt = partial.since
    this.status.resourceVersion = this.resumeFrom = resourceVersion
    await sink.synced(first)
  }

  private take(key: string, object: KubeObject): void | Promise<void> {
    const { uid, resourceVersion } = object.metadata
    const now = `${uid} ${resourceVersion}`
    const before = this.known.get(key)
    if (before === now) return
    this.known.set(key, now)
    this.status.objects = this.known.size
    const heardAt = this.status.lastHeardAt ?? Date.now()
    const oldUid = before && uidOf(before)
    // Deleted and made again under the same name while nobody watched.
    if (oldUid !== undefined && oldUid !== uid) {
      const removed = this.options.sink.remove(key, oldUid, heardAt)
      if (removed) return removed.then(() => this.options.sink.upsert(object, heardAt))
    }
    return this.options.sink.upsert(object, heardAt)
  }

  private async forget(seen: Set<string>): Promise<void> {
    const heardAt = this.status.lastHeardAt ?? Date.now()
    const pace = new Pace()
    for (const [key, value] of this.known) {
      const gone = !seen.has(key) && this.known.delete(key)
      const wait = (gone && this.options.sink.remove(key, uidOf(value), heardAt)) || pace.rest()
      if (wait) await wait
    }
    this.status.objects = this.known.size
  }

  private async watch(): Promise<void> {
    const { client, resource, namespace, fieldSelector, dropManagedFields, sink } = this.options
    const resourceVersion = this.resumeFrom!
    this.set('watching')
    const how = { fieldSelector, dropManagedFields, signal: this.abort.signal }
    const events = client.watch(resource, namespace, { resourceVersion, ...how })
    const pace = new Pace()
    let first: number | undefined
    for await (const event of goneIn(events)) {
      const now = (this.status.lastHeardAt = Date.now())
      first ??= now
      if (event.type === 'ERROR') throw isGone(event.object) ? new Gone(event.object.message) : asError(event.object)
      if (event.type === 'DELETED') {
        const key = objectKey(event.object)
        this.known.delete(key)
        this.status.objects = this.known.size
        await sink.remove(key, event.object.metadata.uid, this.status.lastHeardAt, event.object)
      } else if (event.type !== 'BOOKMARK') await this.take(objectKey(event.object), event.object)
      this.heard++
      if (event.type === 'BOOKMARK' || now - first >= BEHIND_MS) this.status.seenAt = now
      this.status.failing = undefined
      if (event.type !== 'BOOKMARK') this.status.events++
      this.status.resourceVersion = this.resumeFrom = event.object.metadata.resourceVersion
      const wait = pace.rest()
      if (wait) await wait
    }
  }

  private set(state: StreamState, message?: string): void {
    const same = this.status.state === state && this.status.message === message
    if (this.status.state !== state) this.status.at = Date.now()
    this.status.state = state
    this.status.message = message
    if (!same) this.options.sink.changed?.({ ...this.status })
  }
}

const uidOf = (known: string): string => known.slice(0, known.indexOf(' '))
const isGone = (status: Status): boolean =>
  status.code === 410 || status.reason === 'Expired' || status.reason === 'Gone'
const asError = (status: Status): KubeError => new KubeError(status.code ?? 500, status, 'WATCH')
/** Worth the same request again: overload, a server that starts or stops. */
const isPassing = (code: number): boolean => code === 429 || code >= 500
const orGone = (error: unknown): unknown =>
  error instanceof KubeError && isGone(error.status) ? new Gone(error.message) : error

async function* goneIn<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* events
  } catch (error) {
    throw orGone(error)
  }
}
