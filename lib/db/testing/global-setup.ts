import { mkdtempSync, chmodSync, rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../embedded'
import { migrate } from '../migrate'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server's maintenance database, and the name of the migrated template. */
    testServer: { url: string; template: string }
  }
}

// Tests may lose their data in a crash: no waiting for the disk.
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }

/** One PostgreSQL for all test files, with a migrated template. TEST_DATABASE_URL uses a server that is there. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const dir = given ? undefined : mkdtempSync(join(tmpdir(), 'drydock-test-'))
  if (dir) chmodSync(dir, 0o711)
  const server = dir ? await startEmbedded({ dir, settings: FAST }) : undefined
  const url = server?.url ?? given!
  const template = `drydock_template_${randomBytes(6).toString('hex')}`
  const teardown = async (): Promise<void> => {
    if (!server) await query(url, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
    await server?.stop()
    if (dir) rmSync(dir, { recursive: true, force: true })
  }
  try {
    await query(url, `CREATE DATABASE ${template}`)
    await migrate(withDatabase(url, template))
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('testServer', { url, template })
  return teardown
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.toString()
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
