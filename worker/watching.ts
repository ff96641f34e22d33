import { writeStreams, type StreamRow } from '@/lib/db/read-model/streams'
import { pause } from '@/lib/kubernetes/backoff'
import { objectKey } from '@/lib/kubernetes/paths'
import { startReflector, type Reflector, type StreamStatus } from '@/lib/kubernetes/reflector'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { HICCUP_MS } from './hiccup'
import { forgetClusterMetrics, streamAge, streamEvents, streamObjects, streamRelists, streamWatching } from './metrics'
import type { Projector, ProjectorOptions } from './project'
import type { StreamPlan } from './streams'
import type { Heard, ObjectChange, Silent } from './types'

export interface WatchingOptions extends Pick<ProjectorOptions, 'pool' | 'fence' | 'name'> {
  client: KubeClient
  projector: Projector
  pageSize?: number
  changed(change: ObjectChange): void
  /** A resource's list is complete and its rows are written. */
  ready(): void
  failed(error: unknown): void
}

/** The watches of one management cluster. */
export class Watching {
  private readonly listed = new Set<string>()
  private readonly streams = new Map<string, { plan: StreamPlan; reflector: Reflector; since: number }>()
  private waiting: StreamPlan[] = []
  private stopped = false
  /** Those that `silent` told of, until they are heard again. */
  private readonly toldSilent = new Set<string>()
  /** Of streams, until when what happened is in the rows; and what was written of that. */
  private seen: ReadonlyMap<string, number> = new Map()
  private saidSeen = this.seen
  private noting = false
  private written = ''
  private said = ''
  private saidAt = 0

  constructor(private readonly options: WatchingOptions) {}

  /** Resources that are watched. */
  get served(): Set<string> {
    return new Set(this.plans().map((plan) => plan.name))
  }

  /** Resources of which every part has been listed. */
  get ready(): Set<string> {
    const plans = this.plans()
    const open = new Set(plans.filter((plan) => !this.listed.has(plan.stream)).map((plan) => plan.name))
    return new Set(plans.map((plan) => plan.name).filter((name) => !open.has(name)))
  }

  /** Of a resource, or of one part of it by the name of its stream. */
  heard(name: string): Heard {
    const plans = this.plans().filter((plan) => plan.name === name || plan.stream === name)
    if (plans.length === 0) return 'unserved'
    if (plans.every(({ stream }) => this.listed.has(stream))) return 'listed'
    return this.partsOf(name).some(({ since, status }) => isRefused(status) || isGivenUp(status, since))
      ? 'refused'
      : 'open'
  }

  heardNow(name: string): Heard {
    const heard = this.heard(name)
    const parts = this.partsOf(name).filter(({ status }) => status.state !== 'watching')
    if (heard !== 'listed' || parts.length === 0) return heard
    return parts.some(({ status }) => isRefused(status)) ? 'refused' : 'open'
  }

  /**
   * Streams from which nothing has come for longer than a hiccup, with the words of the last failure: the API server refuses them, or
   * others go on meanwhile. Where all are cut off, the connection tells it; what was refused before stays refused then.
   */
  silent(): Map<string, Silent> {
    const now = Date.now()
    const all = [...this.statuses()].map(([stream, status]) => ({ stream, status, failing: failingNow(status, now) }))
    const others = all.some(({ failing, status }) => !failing && status.synced)
    const found = new Map<string, Silent>()
    for (const { stream, status, failing } of all) {
      if (!failing) this.toldSilent.delete(stream)
      else if (isAnswered(failing.code) ? now - failing.since > HICCUP_MS : others && now - failing.since > TROUBLE_MS)
        this.toldSilent.add(stream)
      if (failing && this.toldSilent.has(stream))
        found.set(stream, { message: failing.message, isListed: status.synced })
    }
    return found
  }

  /** Starts what is new and stops what is no longer served, or served in another version. */
  async follow(plans: StreamPlan[]): Promise<void> {
    const same = (plan: StreamPlan) =>
      plans.some((p) => p.stream === plan.stream && p.resource.version === plan.resource.version)
    const gone = [...this.streams.values()].filter(({ plan }) => !same(plan))
    for (const { plan } of gone) {
      this.streams.delete(plan.stream)
      this.listed.delete(plan.stream)
    }
    await Promise.all(gone.map(({ reflector }) => reflector.stop()))
    const fresh = plans.filter((plan) => !this.streams.has(plan.stream) && !this.waiting.includes(plan))
    this.waiting = fresh.filter((plan) => plan.afterGroups)
    for (const plan of fresh.filter((p) => !p.afterGroups)) this.start(plan)
    this.startWaiting()
  }

  wake(): void {
    for (const { reflector } of this.streams.values()) reflector.wake()
  }

  /** Watches that the API server refuses for want of a permission. */
  refused(): { resource: string; message: string }[] {
    return [...this.statuses()].flatMap(([resource, { code, message }]) =>
      code === 403 && message ? [{ resource, message }] : [],
    )
  }

  /** A watch was told that Drydock is nobody here. */
  unauthorised(): string | undefined {
    return [...this.statuses()].find(([, status]) => status.code === 401)?.[1].message
  }

  /** Writes how the watches are; said to everybody where their state changed, and now and then that they are alive. */
  async report(): Promise<void> {
    this.startWaiting()
    void this.noteSeen()
    const { pool, fence } = this.options
    const { seen, saidSeen } = this
    const rows = [...this.statuses()].map(([resource, status]) => rowOf(resource, status, seen.get(resource)))
    this.measure()
    const content = JSON.stringify(rows)
    if (content === this.written) return
    const essence = JSON.stringify(
      rows.map(({ resource, state, message, relists }) => [resource, state, message, relists]),
    )
    const notify = essence !== this.said || Date.now() - this.saidAt > 5000
    // An age is told once: whose clock is set meanwhile would tell another one.
    const news = rows.map((row) => (row.seenAt === saidSeen.get(row.resource) ? { ...row, seenAt: null } : row))
    await writeStreams(pool, fence, news, notify)
    this.written = content
    this.saidSeen = seen
    if (!notify) return
    this.said = essence
    this.saidAt = Date.now()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.waiting = []
    forgetClusterMetrics(this.options.name, this.streams.keys())
    await Promise.all([...this.streams.values()].map(({ reflector }) => reflector.stop()))
  }

  /** What was heard until now is seen when its rows are written; after an outage more of that time may come right behind it. */
  private async noteSeen(): Promise<void> {
    if (this.noting) return
    this.noting = true
    const heard = new Map<string, number>()
    for (const [stream, { seenAt }] of this.statuses())
      if (seenAt !== undefined && this.listed.has(stream)) heard.set(stream, seenAt)
    await pause(BEHIND_MS)
    await this.options.projector.flushed()
    this.seen = heard
    this.noting = false
  }

  private plans(): StreamPlan[] {
    return [...[...this.streams.values()].map(({ plan }) => plan), ...this.waiting]
  }

  private partsOf(name: string): { since: number; status: StreamStatus }[] {
    const mine = [...this.streams.values()].filter(({ plan }) => plan.name === name || plan.stream === name)
    return mine.map(({ since, reflector }) => ({ since, status: reflector.status() }))
  }

  private *statuses(): Generator<[string, StreamStatus]> {
    for (const [stream, { reflector }] of this.streams) yield [stream, reflector.status()]
  }

  /** Machines wait for the lists of the groups; a group that cannot be listed does not hold them up for ever. */
  private startWaiting(): void {
    if (this.stopped) return
    const open = [...this.streams.values()].some(({ reflector }) => {
      const { synced, state } = reflector.status()
      return !synced && state === 'listing'
    })
    if (open) return
    for (const plan of this.waiting.splice(0)) this.start(plan)
  }

  private start(plan: StreamPlan): void {
    const { client, projector, pageSize, changed, failed } = this.options
    const { name, resource, namespace, fieldSelector, keep } = plan
    const change = (type: ObjectChange['type'], key: string, object: KubeObject, heardAt: number) =>
      changed({ type, resource: name, key, object, heardAt })
    const reflector = startReflector({
      client,
      resource,
      namespace,
      fieldSelector,
      pageSize,
      // Only of groups somebody asks who wrote them.
      dropManagedFields: !keep,
      sink: {
        upsert: (object, heardAt) => {
          const wait = projector.upsert(name, keep, object, heardAt)
          change('upsert', objectKey(object), object, heardAt)
          return wait
        },
        remove: (key, uid, heardAt, object) => {
          const last = object ?? projector.objects(name).get(key) ?? unseen(key, uid)
          projector.remove(name, key, uid, heardAt)
          change('delete', key, last, heardAt)
        },
        synced: (first) => {
          if (first) void this.complete(plan, () => reflector.uids()).catch(failed)
        },
      },
    })
    this.streams.set(plan.stream, { plan, reflector, since: Date.now() })
  }

  /** Without this, rows of what was deleted while nobody watched would stay for ever: tried until it works. */
  private async complete(plan: StreamPlan, uids: () => string[]): Promise<void> {
    this.startWaiting()
    for (let attempt = 0; !this.stopped && this.streams.get(plan.stream)?.plan === plan; attempt++) {
      try {
        await this.options.projector.prune(plan.name, uids)
        break
      } catch (error) {
        this.options.failed(error)
        await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 250 * 2 ** attempt)))
      }
    }
    if (this.stopped) return
    this.listed.add(plan.stream)
    this.options.ready()
  }

  private measure(): void {
    const cluster = this.options.name
    for (const [resource, status] of this.statuses()) {
      const labels = { cluster, resource }
      if (status.lastHeardAt) streamAge.set(labels, (Date.now() - status.lastHeardAt) / 1000)
      streamObjects.set(labels, status.objects)
      streamEvents.set(labels, status.events)
      streamRelists.set(labels, status.relists)
      streamWatching.set(labels, status.state === 'watching' ? 1 : 0)
    }
  }
}

/** No trouble of a moment: it may not be read, or is not there. So it stays while it is asked for again. */
const isRefused = ({ state, code }: StreamStatus): boolean => state !== 'watching' && (code === 403 || code === 404)

/** Who is not answered asks again half a minute later, also where others are heard by then. */
const TROUBLE_MS = 3 * HICCUP_MS
/** Open for so long without a failure: it was not refused, also where nothing has come yet. */
const OPEN_MS = 5_000
/** Where the credentials count for nothing, or the server is in trouble, the connection says so. */
const isAnswered = (code = 0): boolean => code >= 400 && code < 500 && code !== 401 && code !== 429

function failingNow({ failing, state, at }: StreamStatus, now: number): StreamStatus['failing'] {
  return state === 'watching' && now - at > OPEN_MS ? undefined : failing
}

/** Who waits for a first list has waited long enough: what it would tell is not known, and that is told. */
const PATIENCE_MS = 60_000
const isGivenUp = ({ state }: StreamStatus, since: number): boolean =>
  state !== 'watching' && Date.now() - since > PATIENCE_MS

const BEHIND_MS = 1_000

function rowOf(resource: string, status: StreamStatus, seenAt: number | null = null): StreamRow {
  const { state, objects, events, relists, resourceVersion = null, lastHeardAt = null, message = null } = status
  return { resource, state, objects, events, relists, resourceVersion, lastHeardAt, seenAt, message }
}

/** A deletion that a relist found, of an object that nobody kept: its name is all that is known. */
function unseen(key: string, uid: string): KubeObject {
  const slash = key.indexOf('/')
  const metadata = { name: key.slice(slash + 1), namespace: slash < 0 ? undefined : key.slice(0, slash), uid }
  return { apiVersion: '', kind: '', metadata: { ...metadata, resourceVersion: '', creationTimestamp: '' } }
}
