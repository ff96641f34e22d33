import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

export interface MigrateOptions {
  dir?: string
  say?: (line: string) => void
}

const LOCK = 72707369 // the key that Prisma Migrate takes: neither runs into the other
const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`

const LINE = 'INSERT INTO _prisma_migrations (id, checksum, migration_name'

/**
 * Applies what is new in prisma/migrations, each file in one transaction, and keeps Prisma's own history table, so that
 * `prisma migrate` agrees afterwards. Safe when several processes start at once. Returns the names applied.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const dir = options.dir ?? join(process.cwd(), 'prisma/migrations')
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // a connection that is lost fails the query that uses it
  await client.connect()
  try {
    await refuseOldServers(client)
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query(HISTORY)
    const applied = await history(client)
    const names = folders(dir)
    refuseNewerDatabase([...applied.keys()], names)
    const done: string[] = []
    for (const name of names) {
      const sql = readFileSync(join(dir, name, 'migration.sql'))
      const checksum = createHash('sha256').update(sql).digest('hex')
      const known = applied.get(name)
      if (known === checksum) continue
      if (known) {
        throw new Error(
          `The migration ${name} was edited after it was applied. Restore the file; a change of the schema is a new migration.`,
        )
      }
      await apply(client, name, checksum, sql.toString('utf8'))
      options.say?.(`Applied the migration ${name}.`)
      done.push(name)
    }
    return done
  } finally {
    await client.end()
  }
}

async function refuseOldServers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num')
  const version = Number(rows[0]?.server_version_num)
  if (version < 140000) {
    throw new Error(`Drydock needs PostgreSQL 14 or later; this server is ${Math.floor(version / 10000)}.`)
  }
}

async function history(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{
    migration_name: string
    checksum: string
    finished_at: Date | null
    logs: string | null
  }>(
    'SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at',
  )
  const failed = rows.find((row) => row.finished_at === null)
  if (failed) {
    throw new Error(
      `The migration ${failed.migration_name} failed earlier${failed.logs ? ` (${failed.logs})` : ''}. Mend its cause, then run: ` +
        `npx prisma migrate resolve --rolled-back ${failed.migration_name}`,
    )
  }
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

function folders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

function refuseNewerDatabase(applied: string[], names: string[]): void {
  const unknown = applied.find((name) => !names.includes(name))
  if (unknown) {
    throw new Error(
      `The database has the migration ${unknown}, which this version of Drydock does not know. Start the newer version.`,
    )
  }
}

/** The migration and its line in the history are one transaction: a failure, or our end, leaves nothing of it. */
async function apply(client: pg.Client, name: string, checksum: string, sql: string): Promise<void> {
  const row = [randomUUID(), checksum, name]
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(`${LINE}, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)`, row)
    await client.query('COMMIT')
  } catch (error) {
    const why = (error as Error).message
    // In Prisma's words: rolled back. The next start tries it again. Where the connection is lost, it is so without a note.
    await client
      .query('ROLLBACK')
      .then(() => client.query(`${LINE}, logs, rolled_back_at) VALUES ($1, $2, $3, $4, now())`, [...row, why]))
      .catch(() => {})
    throw new Error(`The migration ${name} failed and was undone: ${why}`)
  }
}
