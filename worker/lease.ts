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
  /** It does not any more; resolves when everything about it has ended. */
  gone(clusterId: string): Promise<void>
}

/** Which management clusters this worker owns. Everything that it knows comes from Postgres, in one look per tick. */
export class Leases {
  private readonly held = new Map<string, { fence: bigint; credentialsAt: string }>()
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

  /** A write was refused because the lease is another's. */
  async lose(clusterId: string): Promise<void> {
    if (this.held.delete(clusterId)) await this.options.gone(clusterId)
  }

  async release(): Promise<void> {
    await this.busy
    const { pool, owner, gone } = this.options
    const all = [...this.held]
    this.held.clear()
    await Promise.all(all.map(([id]) => gone(id)))
    // Only after the last write of each: whoever takes over may begin at once.
    await Promise.all(all.map(([id, { fence }]) => releaseLease(pool, id, owner, fence).catch(() => undefined)))
  }

  private async look(): Promise<void> {
    const { pool, owner, ttlMs } = this.options
    const kept = this.held.size
      ? await renewLeases(pool, owner, new Map([...this.held].map(([id, { fence }]) => [id, fence])), ttlMs)
      : new Set<string>()
    for (const id of [...this.held.keys()]) if (!kept.has(id)) await this.lose(id)
    const wanted = await watchedClusters(pool)
    for (const id of [...this.held.keys()]) if (!wanted.some((cluster) => cluster.id === id)) await this.giveUp(id)
    for (const cluster of wanted) {
      const mine = this.held.get(cluster.id)
      if (!mine) await this.take(cluster)
      else if (mine.credentialsAt !== cluster.credentialsAt) await this.restart(cluster, mine.fence)
    }
  }

  private async take(cluster: WatchedCluster): Promise<void> {
    const { pool, owner, ttlMs, gained } = this.options
    const fence = await acquireLease(pool, cluster.id, owner, ttlMs)
    if (fence === null) return
    this.held.set(cluster.id, { fence, credentialsAt: cluster.credentialsAt })
    gained(cluster, { clusterId: cluster.id, owner, fence })
  }

  private async giveUp(clusterId: string): Promise<void> {
    const mine = this.held.get(clusterId)
    await this.lose(clusterId)
    if (mine) await releaseLease(this.options.pool, clusterId, this.options.owner, mine.fence)
  }

  /** New credentials: everything anew, under the same lease. */
  private async restart(cluster: WatchedCluster, fence: bigint): Promise<void> {
    const { owner, gone, gained } = this.options
    await gone(cluster.id)
    this.held.set(cluster.id, { fence, credentialsAt: cluster.credentialsAt })
    gained(cluster, { clusterId: cluster.id, owner, fence })
  }
}
