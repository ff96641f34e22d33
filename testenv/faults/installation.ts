import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeDatabase, pool } from '@/lib/db/client'
import { startEmbedded, type EmbeddedPostgres } from '@/lib/db/embedded'
import { migrate } from '@/lib/db/migrate'
import { freePort } from '@/lib/free-port'
import { until } from '../process'
import { startWorkerProcess, type Killable } from './processes'
import { slowWay, type SlowWay } from './slow-way'

const LOST = 'this worker does not own this management cluster any more'

/** A whole Drydock in real processes: a database of its own, and two workers of which the first is the one that is asked. */
export class Installation {
  dir = ''
  private readonly saved = { ...process.env }
  private ports = { database: 0, asked: 0, other: 0 }
  private database: EmbeddedPostgres | undefined
  /** How the workers reach the database; tests go straight. */
  private way: SlowWay | undefined
  private asked: Killable | undefined
  private other: Killable | undefined

  get gateUrl(): string {
    return `https://127.0.0.1:${this.ports.asked}`
  }

  async start(): Promise<void> {
    this.dir = mkdtempSync(join(tmpdir(), 'drydock-faults-'))
    chmodSync(this.dir, 0o711)
    this.ports = { database: await freePort(), asked: await freePort(), other: await freePort() }
    await closeDatabase()
    await this.startDatabase()
    this.way = await slowWay(this.ports.database)
    process.env.DATABASE_URL = this.database!.url
    process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
    await migrate(this.database!.url)
    await this.startWorkers()
  }

  async startDatabase(): Promise<void> {
    this.database = await startEmbedded({ dir: join(this.dir, 'database'), port: this.ports.database })
  }

  async stopDatabase(): Promise<void> {
    await this.database?.stop()
  }

  /** Every answer of the database reaches the workers so late; 0: at once. */
  slowDatabase(ms: number): void {
    this.way?.slow(ms)
  }

  async startWorkers(): Promise<void> {
    await Promise.all([this.startAsked(), this.startOther()])
  }

  async killWorkers(): Promise<void> {
    await Promise.all([this.asked?.kill(), this.other?.kill()])
    this.asked = this.other = undefined
  }

  /** `before`: a module that is loaded before the program. */
  async startAsked(before?: string): Promise<void> {
    this.asked = await this.worker('asked', this.ports.asked, before)
  }

  private worker(name: string, gatePort: number, before?: string): Promise<Killable> {
    const url = new URL(process.env.DATABASE_URL!)
    url.port = String(this.way!.port)
    return startWorkerProcess(this.dir, name, { gatePort, before, databaseUrl: url.href })
  }

  async killAsked(): Promise<void> {
    await this.asked?.kill()
    this.asked = undefined
  }

  private async startOther(): Promise<void> {
    this.other = await this.worker('other', this.ports.other)
  }

  /** The one that is asked is killed, and started with a clock that is ten minutes ahead, until it says so. */
  async askedAhead(): Promise<void> {
    await this.killAsked()
    await this.startAsked('./testenv/faults/clock-ahead.ts')
    const says = () => Promise.resolve(this.asked?.said('ahead of the database'))
    await until('it to say that its clock is wrong', says, { ms: 60_000, every: 100 })
  }

  /**
   * The worker that owns the cluster stands still, as in a machine that is suspended, until the other one owns it. Returns
   * what lets it go on, with its lease of before, until it has seen that this is over.
   */
  async pauseOwner(clusterId: string): Promise<() => Promise<void>> {
    const owner = async () => {
      const sql = 'SELECT owner, until > now() AS valid FROM cluster_lease WHERE cluster_id = $1'
      const { rows } = await pool().query<{ owner: string; valid: boolean }>(sql, [clusterId])
      return rows[0]?.valid ? rows[0].owner : null
    }
    await until('the cluster to be owned', owner, { ms: 60_000, every: 100 })
    const before = (await owner())!
    const pid = Number(before.split('/')[1])
    process.kill(pid, 'SIGSTOP')
    try {
      await until('the other worker to own it', async () => ![null, before].includes(await owner()), { ms: 60_000 })
    } catch (error) {
      process.kill(pid, 'SIGCONT')
      throw error
    }
    return async () => {
      const said = () => [this.asked, this.other].reduce((sum, worker) => sum + (worker?.said(LOST) ?? 0), 0)
      const already = said()
      process.kill(pid, 'SIGCONT')
      const seen = () => Promise.resolve(said() > already)
      await until('it to see that another one owns it', seen, { ms: 60_000, every: 100 })
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.asked?.stop(), this.other?.stop()])
    await closeDatabase()
    await this.way?.stop()
    await this.database?.stop()
    for (const key of ['DATABASE_URL', 'DRYDOCK_KEY'] as const) {
      if (this.saved[key] === undefined) delete process.env[key]
      else process.env[key] = this.saved[key]
    }
    if (this.dir) rmSync(this.dir, { recursive: true, force: true })
  }
}
