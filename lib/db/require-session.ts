import { randomBytes } from 'node:crypto'
import pg from 'pg'

const REFUSED =
  'DATABASE_URL leads to a pooler that gives every transaction another session (PgBouncer: pool_mode = transaction). ' +
  'Drydock listens for notifications, locks sessions and prepares statements: name PostgreSQL itself, or a pool in session mode.'

/** Such a pooler loses notifications silently, so the pages would just stand still: tried before anything relies on it. */
export async function requireSession(url: string, patience = 5_000): Promise<void> {
  const channel = `drydock_session_${randomBytes(8).toString('hex')}`
  const listener = new pg.Client({ connectionString: url })
  const speaker = new pg.Client({ connectionString: url })
  try {
    let heard = false
    listener.on('notification', () => (heard = true))
    for (const client of [listener, speaker]) {
      client.on('error', () => {}) // the query that uses it fails
      await client.connect()
    }
    await listener.query(`LISTEN ${channel}`)
    for (const deadline = Date.now() + patience; !heard;) {
      if (Date.now() > deadline) throw new Error(REFUSED)
      await speaker.query(`NOTIFY ${channel}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await Promise.allSettled([listener.end(), speaker.end()])
  }
}
