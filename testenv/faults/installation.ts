import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeDatabase } from '@/lib/db/client'
import { startEmbedded, type EmbeddedPostgres } from '@/lib/db/embedded'
import { migrate } from '@/lib/db/migrate'
import { freePort } from '@/lib/free-port'
import { startWorkerProcess, type Killable } from './processes'

/** A whole Drydock in real processes: a database of its own, and two workers of which the first is the one that is asked. */
export class Installation {
  readonly dir = mkdtempSync(join(tmpdir(), 'drydock-faults-'))
  private readonly saved = { ...process.env }
  private ports = { database: 0, asked: 0, other: 0 }
  private database: EmbeddedPostgres | undefined
  private asked: Killable | undefined
  private other: Killable | undefined

  get gateUrl(): string {
    return `https://127.0.0.1:${this.ports.asked}`
  }

  async start(): Promise<void> {
    chmodSync(this.dir, 0o711)
    this.ports = { database: await freePort(), asked: await freePort(), other: await freePort() }
    await closeDatabase()
    await this.startDatabase()
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

  async startWorkers(): Promise<void> {
    await Promise.all([this.startAsked(), this.startOther()])
  }

  async killWorkers(): Promise<void> {
    await Promise.all([this.asked?.kill(), this.other?.kill()])
    this.asked = this.other = undefined
  }

  async startAsked(): Promise<void> {
    this.asked = await startWorkerProcess(this.dir, 'asked', this.ports.asked)
  }

  async killAsked(): Promise<void> {
    await this.asked?.kill()
    this.asked = undefined
  }

  private async startOther(): Promise<void> {
    this.other = await startWorkerProcess(this.dir, 'other', this.ports.other)
  }

  async stop(): Promise<void> {
    await Promise.all([this.asked?.stop(), this.other?.stop()])
    await closeDatabase()
    await this.database?.stop()
    for (const key of ['DATABASE_URL', 'DRYDOCK_KEY'] as const) {
      if (this.saved[key] === undefined) delete process.env[key]
      else process.env[key] = this.saved[key]
    }
    rmSync(this.dir, { recursive: true, force: true })
  }
}
