import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../free-port'
import { spawnGuarded, type Guarded } from '../../guarded'
import { findBinaries, type Binaries } from './binaries'
import { claim, isAlive, readOwner, release, rememberPort, runningPostmaster } from './owner'
import { makeArea, runAs, type RunAs } from './run-as'

export interface EmbeddedOptions {
  /** Everything of this database lies in this folder. */
  dir: string
  /** A fixed port; otherwise one that is free. */
  port?: number
  /** Settings of postgresql.conf, for tests. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  url: string
  port: number
  /** Resolves when the server has ended, by itself or by `stop`. */
  ended: Promise<void>
  /** The server's last words. */
  tail(): string
  stop(): Promise<void>
}

const USER = 'drydock'

/** Starts a PostgreSQL of our own on 127.0.0.1, which ends with this process. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const as = runAs()
  const area = makeArea(options.dir, as)
  claim(area)
  try {
    const data = join(area, 'pg', 'data')
    await endOrphan(data)
    const wanted = existsSync(join(data, 'PG_VERSION'))
      ? readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
      : undefined
    const binaries = findBinaries(area, as, wanted)
    if (!wanted) initialise(area, data, binaries, as)
    return await serve(area, data, binaries, as, options)
  } catch (error) {
    release(area)
    throw error
  }
}

/** Address of the embedded database in a folder when a process of ours runs it right now. */
export function runningUrl(dir: string): string | undefined {
  if (!existsSync(dir)) return undefined
  const area = makeArea(dir, runAs())
  const owner = readOwner(area)
  return owner && owner.port > 0 && isAlive(owner) ? urlOf(area, owner.port) : undefined
}

const urlOf = (area: string, port: number): string =>
  `postgresql://${USER}:${readFileSync(join(area, 'password'), 'utf8').trim()}@127.0.0.1:${port}/drydock`

/** A server whose owner died at a bad moment: stopped, so that we start it anew and watch over it. */
async function endOrphan(data: string): Promise<void> {
  const deadline = Date.now() + 20_000
  for (let pid = runningPostmaster(data); pid; pid = runningPostmaster(data)) {
    process.kill(pid, Date.now() > deadline - 5_000 ? 'SIGQUIT' : 'SIGINT')
    if (Date.now() > deadline)
      throw new Error(`An earlier PostgreSQL (pid ${pid}) in ${data} does not end. End it by hand.`)
    await sleep(50)
  }
}

function initialise(area: string, data: string, { bin }: Binaries, as: RunAs): void {
  const password = join(area, 'password')
  const half = `${data}.new`
  rmSync(half, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
  writeFileSync(password, randomBytes(24).toString('base64url') + '\n', { mode: 0o600 })
  mkdirSync(dirname(data), { recursive: true, mode: 0o700 })
  if ('uid' in as.ids) chownSync(dirname(data), as.ids.uid, as.ids.gid)
  const own = `${half}.pw`
  try {
    writeFileSync(own, readFileSync(password), { mode: 0o600 })
    if ('uid' in as.ids) chownSync(own, as.ids.uid, as.ids.gid)
    const options = [
      '-U',
      USER,
      '--auth=scram-sha-256',
      `--pwfile=${own}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]
    const env = serverEnv()
    const made = spawnSync(join(bin, 'initdb'), ['-D', half, ...options], {
      encoding: 'utf8',
      cwd: '/',
      env,
      ...as.ids,
    })
    if (made.status !== 0)
      throw new Error(`The database could not be made in ${data}: ${made.stderr || made.error?.message}`)
  } finally {
    rmSync(own, { force: true })
  }
  renameSync(half, data) // a start that died in the middle never looks finished
}

async function serve(
  area: string,
  data: string,
  { bin }: Binaries,
  as: RunAs,
  options: EmbeddedOptions,
): Promise<EmbeddedPostgres> {
  const log = join(area, 'server.log')
  for (let attempt = 1; ; attempt++) {
    const port = options.port || (await freePort())
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      ...options.settings,
    }
    const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const server = launch(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...args], log, as)
    let over = false
    const ended = server.ended.then(() => void (over = true))
    const stop = async (): Promise<void> => {
      await server.stop()
      release(area)
    }
    const tail = (): string => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-6).join('\n')
    const url = urlOf(area, port)
    const trouble = await ready(url, () => over)
    if (!trouble) {
      rememberPort(area, port)
      return { url, port, ended, tail, stop }
    }
    await server.stop()
    if (attempt === 3 || (options.port && /could not bind/.test(tail()))) {
      throw new Error(`PostgreSQL does not start on port ${port}: ${trouble}\n${tail()}\nThe whole log is ${log}.`)
    }
  }
}

const serverEnv = (): NodeJS.ProcessEnv => ({
  NODE_ENV: process.env.NODE_ENV,
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
})

function launch(command: string, args: string[], log: string, as: RunAs): Guarded {
  const out = openSync(log, 'w', 0o600)
  chmodSync(log, 0o600)
  try {
    const server = spawnGuarded(command, args, { signal: 'INT', cwd: '/', env: serverEnv(), out, err: out, ...as.ids })
    server.process.unref() // a database alone keeps no process alive
    ;(server.process.stdin as { unref?: () => void } | null)?.unref?.()
    return server
  } finally {
    closeSync(out)
  }
}

/** Waits until it answers and our database is there; otherwise says why not. */
async function ready(url: string, over: () => boolean): Promise<string | undefined> {
  const deadline = Date.now() + 60_000 // recovery after a crash may take a while
  let last = 'it gives no answer'
  while (!over() && Date.now() < deadline) {
    const admin = new pg.Client({ connectionString: url.replace(/\/drydock$/, '/postgres') })
    try {
      await admin.connect()
      const known = await admin.query(`SELECT 1 FROM pg_database WHERE datname = 'drydock'`)
      if (known.rowCount === 0) await admin.query('CREATE DATABASE drydock')
      return undefined
    } catch (error) {
      last = (error as Error).message
    } finally {
      await admin.end().catch(() => {})
    }
    await sleep(25)
  }
  return over() ? 'it ended at once' : last
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
