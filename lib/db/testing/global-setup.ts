import { chmodSync, rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded, type EmbeddedPostgres } from '../embedded'
import { migrate } from '../migrate'
import { FAST, makeThrowaway, throwawayDirs } from './throwaway'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server's maintenance database, and the name of the migrated template. */
    testServer: { url: string; template: string }
  }
}

/** One PostgreSQL for all test files, with a migrated template. TEST_DATABASE_URL uses a server that is there. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const own = given ? undefined : await startThrowaway()
  const url = own?.server.url ?? given!
  const template = `drydock_template_${randomBytes(6).toString('hex')}`
  const teardown = async (): Promise<void> => {
    if (!own) await query(url, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
    await own?.stop()
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

interface Throwaway {
  server: EmbeddedPostgres
  stop(): Promise<void>
}

async function startThrowaway([parent, ...others] = throwawayDirs()): Promise<Throwaway> {
  const dir = makeThrowaway(parent!)
  const remove = () => rmSync(dir, { recursive: true, force: true })
  chmodSync(dir, 0o711)
  try {
    const server = await startEmbedded({ dir, settings: { ...FAST, max_connections: '300' } })
    return { server, stop: () => server.stop().finally(remove) }
  } catch (error) {
    remove()
    // Nothing may be run from some memory folders.
    if (others.length > 0) return startThrowaway(others)
    throw error
  }
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
