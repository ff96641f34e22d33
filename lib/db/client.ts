import { Socket } from 'node:net'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient, type Prisma } from './generated/client'

export type Tx = Prisma.TransactionClient

// Module state is not shared between Next's bundles; globalThis is.
const shared = globalThis as typeof globalThis & {
  __drydockPrisma?: PrismaClient
  __drydockPool?: pg.Pool
  __drydockSession?: pg.Pool
  __drydockGate?: pg.Pool
}

export function databaseUrl(): string {
  const url = process.env.DATABASE_URL
  if (!url)
    throw new Error(
      'DATABASE_URL is not set; start Drydock with `npm start`, which brings a database where none is given.',
    )
  return url
}

// A burst of verbs waits its turn instead of failing after two seconds: the audit takes one writer at a time.
const transactionOptions = { maxWait: 15_000, timeout: 30_000 }

/**
 * A process that stands still in the middle of a transaction lets its locks go after this long, with the lease of its clusters among
 * them: no transaction of ours waits so long for its next statement. Set as a statement, for poolers refuse it at the start.
 */
const IDLE = "SET idle_in_transaction_session_timeout = '30s'"
const onConnect = async (client: pg.ClientBase): Promise<void> => void (await client.query(IDLE))

/**
 * A connection on which a statement waits so long for a word of the database is broken off, in the middle of a transaction as well: a proxy
 * or a firewall may acknowledge what is sent, and answer nothing for ever. Whoever waits gets an error, and the next one a new connection.
 * Nothing of ours takes so long: a transaction has 30 s, and bulk writes are cut into many. Migrations have a connection of their own.
 */
const SILENT_MS = 60_000
const answering = {
  ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
  stream: () => {
    const socket = new Socket()
    const error = Object.assign(new Error('The database did not answer in time.'), { code: 'ETIMEDOUT' })
    return socket.setTimeout(SILENT_MS, () => socket.destroy(error))
  },
}

/** Prisma, for verbs and everything that is not a bulk write. */
export function db(): PrismaClient {
  return (shared.__drydockPrisma ??= new PrismaClient({
    adapter: new PrismaPg({ ...config(), ...answering }),
    transactionOptions,
    errorFormat: 'minimal', // no source of ours in errors
  }))
}

/** Plain pool, for bulk writes of the read model and for queries that SQL says better. */
export function pool(): pg.Pool {
  return (shared.__drydockPool ??= createPool({ max: 10, ...answering }))
}

/** One connection that stays, for advisory locks of this process: the server lets them go when it ends, however it ends. */
export function session(): pg.Pool {
  return (shared.__drydockSession ??= createPool({
    max: 1,
    idleTimeoutMillis: 0,
    keepAlive: true,
    query_timeout: 5_000,
  }))
}

/** What the gate reads waits for no bulk write, and no lease for it; what cannot be read in time holds. */
export function gatePool(): pg.Pool {
  return (shared.__drydockGate ??= createPool({ max: 10, connectionTimeoutMillis: 5_000, query_timeout: 5_000 }))
}

const config = (): pg.PoolConfig => ({
  connectionString: databaseUrl(),
  // Awaited, whatever its type says (pg-pool, newClient).
  onConnect: onConnect as (client: pg.ClientBase) => void,
})

function createPool(options: pg.PoolConfig): pg.Pool {
  const created = new pg.Pool({ ...config(), ...options })
  // A database that restarts ends connections that nobody is using: without listeners that would end this process too.
  // Whoever uses one gets the error from its query.
  created.on('error', () => undefined)
  created.on('connect', (client) => client.on('error', () => undefined))
  return created
}

/** Ends every connection of this process, for an orderly stop and for tests. */
export async function closeDatabase(): Promise<void> {
  const { __drydockPrisma: prisma, __drydockPool: plain, __drydockSession: locks, __drydockGate: gate } = shared
  shared.__drydockPrisma = undefined
  shared.__drydockPool = undefined
  shared.__drydockSession = undefined
  shared.__drydockGate = undefined
  await Promise.all([prisma?.$disconnect(), plain?.end(), locks?.end(), gate?.end()])
}
