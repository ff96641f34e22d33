import type { Pool, PoolClient } from 'pg'
import type { Tx } from './client'

/** One Postgres channel carries every announcement: which kind of rows changed, of which management cluster. */
export const CHANNEL = 'drydock'

/** What can change; the browser's query keys begin with these words. */
export type Topic =
  | 'machines'
  | 'groups'
  | 'clusters'
  | 'changes'
  | 'decisions'
  | 'boot-images'
  | 'pools'
  | 'gates'
  | 'activity'
  | 'streams'
  | 'updaters'
  | 'policies'

export interface Announcement {
  topic: Topic
  /** Management cluster; absent: all of Drydock. */
  cluster?: string
  /** Rows that changed; absent: any of the topic. More than MOST_IDS, or very long ones, are left out by announce. */
  ids?: string[]
  /** What is found there, and what Drydock may do there, is to be asked for again. */
  discover?: true
  /** When the change was heard from the API server (ms), for measuring event to pixel. */
  heardAt?: number
}

/** So many ids, and no more, travel with an announcement. */
export const MOST_IDS = 50
/** Postgres takes fewer than 8000 bytes, and fails the transaction with more. */
const MOST_BYTES = 7_900

/** What goes over the channel: without ids where there are too many, which means every row of the topic. */
function payload(message: Announcement): string {
  const text = JSON.stringify(message)
  const few = (message.ids?.length ?? 0) <= MOST_IDS && Buffer.byteLength(text) <= MOST_BYTES
  return few ? text : JSON.stringify({ ...message, ids: undefined })
}

export async function announce(on: Pool | PoolClient | Tx, message: Announcement): Promise<void> {
  const text = payload(message)
  if ('$executeRaw' in on) await on.$executeRaw`SELECT pg_notify(${CHANNEL}, ${text})`
  else await on.query('SELECT pg_notify($1, $2)', [CHANNEL, text])
}

/** The same as a statement, to be sent together with others. */
export const announcing = (client: PoolClient, message: Announcement): string =>
  `SELECT pg_notify(${client.escapeLiteral(CHANNEL)}, ${client.escapeLiteral(payload(message))})`
