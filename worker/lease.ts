import type { Pool } from 'pg'
import { acquireLease, releaseLease, renewLeases } from '@/lib/db/read-model/lease'
import { watchedClusters, type WatchedCluster } from '@/lib/db/read-model/watched'
import type { Fence } from '@/lib/db/read-model/fence'

export interface LeaseOptions {
  pool: Pool
  owner: string
  ttlMs: number
  /** This worker owns the cluster from now on. */
  gained(cluster: WatchedCluster, fence: Fence): void
  /** It does not any more; resolves when everything about it has ended, which nothing else waits for. */
  gone(clusterId: string): Promise<void>
  /** It is not this worker's any more: taken by another, or disconnected. `gone` follows. */
  lost(clusterId: string): void
  /** The database has answered: a look asks it once for each cluster that is another's. */
  answered?(): void
}

/** Which management clusters this worker owns. Everything that it knows comes from Postgres, in one look per tick. */
export class Leases {
  private readonly held = new Map<string, { fence: bigint; credentialsAt: string }>()
  /** What is being stopped: the cluster is not taken again before. Nobody who renews waits for it. */
  private readonly ending = new Map<string, Promise<void>>()
  private busy: Promise<void> = Promise.resolve()

  constructor(private readonly options: LeaseOptions) {}

  get size(): number {
    return this.held.size
  }

  /** Renews, takes what is free, gives up what is not wanted any more. Throws where the database is away: nothing is given up then. */
  tick(): Promise<void> {
    const next = this.busy.then(() => this.look())
    this.busy = next.catch(() => undefined)
    return next
  }

  /** A write was refused because the lease, which had this number, is another's. */
  lose(clusterId: string, fence: bigint): void {
    if (this.held.get(clusterId)?.fence !== fence) return
    this.held.delete(clusterId)
    this.options.lost(clusterId)
    this.end(clusterId)
  }

  /** Everything is to be listed anew, under the same lease. */
  anew(cluster: WatchedCluster, fence: bigint): void {
    if (this.held.get(cluster.id)?.fence === fence) this.restart(cluster, fence)
  }

  async release(): Promise<void> {
    await this.busy
    const all = [...this.held.keys()]
    for (const id of all) this.giveUp(id)
    await Promise.all(this.ending.values())
  }

  private async look(): Promise<void> {
    await this.renew()
    await this.renewing(() => this.takeAll())
  }

  private async renew(): Promise<void> {
    const { pool, owner, ttlMs, answered } = this.options
    if (this.held.size === 0) return
    const mine = new Map([...this.held].map(([id, { fence }]) => [id, fence]))
    const kept = await renewLeases(pool, owner, mine, ttlMs)
    answered?.()
    for (const [id, fence] of mine) if (!kept.has(id)) this.lose(id, fence)
  }

  /** What asks for one cluster after the other, or waits for one, may take longer than a lease lasts: what is held is renewed meanwhile. */
  private async renewing(work: () => Promise<void>): Promise<void> {
    let last: Promise<void> | null = null
    const again = (): void => {
      last ??= this.renew()
        .catch(() => undefined)
        .finally(() => (last = null))
    }
    const timer = setInterval(again, this.options.ttlMs / 4)
    try {
      await work()
    } finally {
      clearInterval(timer)
      // What is given up next is renewed no more.
      await last
    }
  }

  private async takeAll(): Promise<void> {
    const wanted = await watchedClusters(this.options.pool)
    this.options.answered?.()
    for (const id of [...this.held.keys()]) if (!wanted.some((cluster) => cluster.id === id)) this.giveUp(id)
    for (const cluster of wanted) {
      const mine = this.held.get(cluster.id)
      if (this.ending.has(cluster.id)) continue
      if (!mine) await this.take(cluster)
      else if (mine.credentialsAt !== cluster.credentialsAt) this.restart(cluster, mine.fence)
    }
  }

  private async take(cluster: WatchedCluster): Promise<void> {
    const { pool, owner, ttlMs, gained, answered } = this.options
    const fence = await acquireLease(pool, cluster.id, owner, ttlMs)
    answered?.()
    if (fence === null) return
    this.held.set(cluster.id, { fence, credentialsAt: cluster.credentialsAt })
    gained(cluster, { clusterId: cluster.id, owner, fence })
  }

  private giveUp(clusterId: string): void {
    const mine = this.held.get(clusterId)
    if (!mine) return
    this.held.delete(clusterId)
    const { pool, owner } = this.options
    // Only after the last write: whoever takes over may begin at once. Where the database is away, the lease runs out.
    this.end(clusterId, () => releaseLease(pool, clusterId, owner, mine.fence))
  }

  /** New credentials, or rows that are this cluster's only now: everything anew, under the same lease, unless it was lost meanwhile. */
  private restart(cluster: WatchedCluster, fence: bigint): void {
    const { owner, gained } = this.options
    const mine = { fence, credentialsAt: cluster.credentialsAt }
    this.held.set(cluster.id, mine)
    this.end(cluster.id, () => {
      if (this.held.get(cluster.id) === mine) gained(cluster, { clusterId: cluster.id, owner, fence })
    })
  }

  /** Stops what runs for a cluster, in the background, and then does what has to come after it. */
  private end(clusterId: string, after: () => unknown = () => undefined): void {
    const before = this.ending.get(clusterId)
    const gone = before ? before.then(() => this.options.gone(clusterId)) : this.options.gone(clusterId)
    const ended: Promise<void> = gone
      .then(after)
      .catch(() => undefined)
      .then(() => void (this.ending.get(clusterId) === ended && this.ending.delete(clusterId)))
    this.ending.set(clusterId, ended)
  }
}
