import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { closeDatabase } from '../client'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** A database of its own for one test file, copied from the migrated template; `db()` and `pool()` use it from now on. */
export async function testDatabase(): Promise<TestDatabase> {
  const { url: server, template } = inject('testServer')
  const name = `drydock_${randomBytes(8).toString('hex')}`
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const before = process.env.DATABASE_URL
  await closeDatabase()
  process.env.DATABASE_URL = url.toString()
  return {
    url: url.toString(),
    drop: async () => {
      await closeDatabase()
      if (before === undefined) delete process.env.DATABASE_URL
      else process.env.DATABASE_URL = before
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

/** The same for a whole test file: made before its first test, dropped after its last. */
export function useTestDatabase(): void {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(async () => database?.drop())
}

/** Copying a template needs it free of other sessions: a moment's wait where two files start at once. */
async function onServer(url: string, sql: string): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(sql)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || Date.now() > deadline) throw error
    } finally {
      await client.end()
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
