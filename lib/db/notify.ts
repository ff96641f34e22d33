import type { Pool, PoolClient } from 'pg'
import type { Tx } from './client'

/** One Postgres channel carries every announcement: which kind of rows changed, of which management cluster. */
export const CHANNEL = 'drydock'

/** What can change; the browser's query keys begin with these words. */
export const TOPICS = [
  'machines',
  'groups',
  'clusters',
  'changes',
  'decisions',
  'boot-images',
  'activity',
  'streams',
] as const
export type Topic = (typeof TOPICS)[number]

export interface Announcement {
  topic: Topic
  /** Management cluster; absent: all of Drydock. */
  cluster?: string
  /** Rows that changed, where few (at most 50). */
  ids?: string[]
  /** When the change was heard from the API server (ms), for measuring event to pixel. */
  heardAt?: number
}

export async function announce(on: Pool | PoolClient | Tx, message: Announcement): Promise<void> {
  const text = JSON.stringify(message)
  if ('$executeRaw' in on) await on.$executeRaw`SELECT pg_notify(${CHANNEL}, ${text})`
  else await on.query('SELECT pg_notify($1, $2)', [CHANNEL, text])
}
