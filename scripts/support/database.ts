import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startEmbedded, type EmbeddedPostgres } from '@/lib/db/embedded'
import { migrate } from '@/lib/db/migrate'
import { requireSession } from '@/lib/db/require-session'
import { givenDatabase } from './environment'

export interface Database {
  url: string
  /** Ours, where the environment names none. */
  embedded?: EmbeddedPostgres
  stop(): Promise<void>
}

const RIGHTS = 'Its role must own the database, or have CREATE on it and on its schema public.'

/** The folder for keys and the embedded database. Root's unprivileged Postgres must be able to pass through it. */
export function prepareDataDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    accessSync(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EACCES' || code === 'EROFS' || code === 'EPERM' ? 'this user may not write there' : message
    throw new Error(
      `The data cannot be kept in ${resolve(dir)}: ${why}. ` +
        'Start Drydock as the owner of that folder, or name another (DRYDOCK_DATA_DIR; for the demo, --dir).',
    )
  }
  if (process.getuid?.() === 0) chmodSync(dir, 0o711)
}

/**
 * DATABASE_URL where it is given, otherwise an embedded Postgres in the data folder; migrated either way. `settings`: of the
 * embedded one.
 */
export async function openDatabase(
  dir: string,
  say: (line: string) => void,
  settings?: Record<string, string>,
): Promise<Database> {
  const given = givenDatabase()
  const embedded = given ? undefined : await startEmbedded({ dir: join(dir, 'postgres'), settings })
  const url = given ?? embedded!.url
  try {
    if (given) await requireSession(given)
    await migrate(url, { say, dir: join(import.meta.dirname, '../../prisma/migrations') })
  } catch (error) {
    await embedded?.stop()
    const { message } = error as Error
    const rights = /permission denied/.test(message) ? ` ${RIGHTS}` : ''
    throw new Error(`The database cannot be used: ${message.replace(/\.?$/, '.')}${rights}`)
  }
  process.env.DATABASE_URL = url
  return { url, embedded, stop: async () => embedded?.stop() }
}
