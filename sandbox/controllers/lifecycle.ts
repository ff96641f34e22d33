import type { JsonObject } from '../../lib/domain/json'
import { AS, type Env } from './env'
import { HookError } from './hooks'
import { json, keyOf, listed, type Cluster } from './kinds'
import { ANNOTATION, CLUSTERS } from './names'

/** What blocked, and until when nobody asks again, by Cluster and hook. Lost at a restart, as the real one. */
export type HookAnswers = Map<string, { until: number; message: string }>

/**
 * The lifecycle hooks of one Cluster in one pass of the topology controller, as upstream's lifecycle_hooks.go calls them: which
 * are still to be called stands on the Cluster, and what blocks is collected for its condition.
 */
export class Lifecycle {
  readonly blocking: { hook: string; message: string }[] = []
  /** Simulated seconds until somebody may be asked again. */
  again: number | undefined
  private readonly pending: Set<string>

  constructor(
    private readonly env: Env,
    private readonly cluster: Cluster,
    private readonly answers: HookAnswers,
  ) {
    this.pending = new Set(listed(cluster.metadata.annotations?.[ANNOTATION.pendingHooks]))
  }

  isPending(hook: string): boolean {
    return this.pending.has(hook)
  }

  async mark(...hooks: string[]): Promise<void> {
    await this.write([...this.pending, ...hooks])
  }

  /** An annotation blocks the start of an upgrade, not its later steps. */
  async before(extra: JsonObject): Promise<boolean> {
    const keys = Object.keys(this.cluster.metadata.annotations ?? {})
      .filter((key) => key.startsWith(ANNOTATION.beforeUpgrade))
      .sort()
    if (keys.length === 0) return this.ask('BeforeClusterUpgrade', extra)
    const are = keys.length === 1 ? `annotation ${keys[0]} is set` : `annotations ${keys.join(', ')} are set`
    this.blocking.push({ hook: 'BeforeClusterUpgrade', message: are })
    return false
  }

  /** One that was to be called when something came to its end: true when it was, or was not to be. */
  async after(hook: string, extra: JsonObject): Promise<boolean> {
    if (!this.pending.has(hook)) return true
    if (!(await this.ask(hook, extra))) return false
    await this.write([...this.pending].filter((one) => one !== hook))
    return true
  }

  /** Whether nobody who is asked blocks. Throws where somebody cannot be asked. */
  async ask(hook: string, extra: JsonObject): Promise<boolean> {
    const { uid, namespace } = this.cluster.metadata
    const key = `${uid}/${hook}`
    const known = this.answers.get(key)
    if (known && known.until > Date.now()) return this.blocked(hook, known.message, known.until)
    const { status: _, ...cluster } = json(this.cluster)
    const { seconds, message } = await this.env.hooks.all(hook, namespace ?? '', { cluster, ...extra })
    if (seconds === 0) {
      this.answers.delete(key)
      return true
    }
    const until = Date.now() + this.env.clock.ms(seconds)
    this.answers.set(key, { until, message })
    return this.blocked(hook, message, until)
  }

  private blocked(hook: string, message: string, until: number): false {
    this.blocking.push({ hook, message })
    const seconds = Math.max(0.05, (until - Date.now()) / this.env.clock.ms(1))
    this.again = Math.min(this.again ?? Infinity, seconds)
    return false
  }

  private async write(hooks: string[]): Promise<void> {
    const value = [...new Set(hooks)].sort().join(',') || null
    this.pending.clear()
    for (const hook of listed(value ?? undefined)) this.pending.add(hook)
    const annotations = { [ANNOTATION.pendingHooks]: value }
    await this.env.store.merge(CLUSTERS, keyOf(this.cluster), { metadata: { annotations } }, AS.topology)
  }
}

export const isHookError = (error: unknown): error is HookError => error instanceof HookError
