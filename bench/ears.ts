import pg from 'pg'
import { request } from 'undici'
import { CHANNEL, type Announcement } from '@/lib/db/notify'
import { percentile } from './setup'
import type { BenchWeb } from './web'

export interface Ear {
  /** ms from reading the oldest change off the wire to hearing of it, one per message about machines. */
  lags: number[]
  stop(): Promise<void>
}

/** As the web process hears: LISTEN on the database. */
export async function databaseEar(): Promise<Ear> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  const lags: number[] = []
  await client.connect()
  client.on('notification', ({ payload }) => heard(payload ?? '{}', lags))
  await client.query(`LISTEN ${CHANNEL}`)
  return { lags, stop: () => client.end() }
}

/** As a browser's tab hears: server-sent events of the real pages. */
export async function browserEar(web: BenchWeb): Promise<Ear> {
  const lags: number[] = []
  const abort = new AbortController()
  const { statusCode, body } = await request(`${web.url}/api/stream`, {
    headers: { cookie: web.cookie, accept: 'text/event-stream' },
    bodyTimeout: 0,
    signal: abort.signal,
  })
  if (statusCode !== 200) throw new Error(`/api/stream answered HTTP ${statusCode}.`)
  let rest = ''
  body.setEncoding('utf8')
  body.on('error', () => undefined) // our own abort
  body.on('data', (text: string) => {
    const messages = (rest + text).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) if (message.startsWith('data: ')) heard(message.slice(6), lags)
  })
  return {
    lags,
    stop: () => {
      abort.abort()
      return Promise.resolve()
    },
  }
}

function heard(json: string, lags: number[]): void {
  const { topic, heardAt } = JSON.parse(json) as Partial<Announcement>
  if (topic === 'machines' && heardAt) lags.push(Date.now() - heardAt)
}

export function lagFigures(name: string, lags: readonly number[]): Record<string, number> {
  if (lags.length === 0) throw new Error(`Nothing was heard: ${name}.`)
  return {
    [`${name}Messages`]: lags.length,
    [`${name}P50Ms`]: percentile(lags, 0.5),
    [`${name}P95Ms`]: percentile(lags, 0.95),
    [`${name}MaxMs`]: Math.max(...lags),
  }
}
