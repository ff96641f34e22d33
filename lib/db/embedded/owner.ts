import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which process of ours runs the database in an area. A pid alone may be taken again, so its start counts too. */
export interface Owner {
  pid: number
  started: string
  port: number
}

const file = (area: string): string => join(area, 'owner.json')

export function readOwner(area: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file(area), 'utf8')) as Owner
  } catch {
    return undefined
  }
}

export const isAlive = (owner: Owner): boolean => startOf(owner.pid) === owner.started

/** Takes the area for this process, or says who has it. A dead owner's claim is taken over. */
export function claim(area: string): void {
  const mine = join(area, `owner.${process.pid}.json`)
  writeOwner(mine, 0)
  try {
    for (let tries = 0; tries < 3; tries++) {
      try {
        linkSync(mine, file(area)) // fails where it exists, and is never seen half-written
        return
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const owner = readOwner(area)
      if (owner && isAlive(owner)) {
        throw new Error(
          `Another Drydock (pid ${owner.pid}) uses the database in ${area}. Stop it first, or give this one another folder.`,
        )
      }
      rmSync(file(area), { force: true })
    }
    throw new Error(`Somebody else keeps taking the database in ${area}. Try again.`)
  } finally {
    rmSync(mine, { force: true })
  }
}

export function rememberPort(area: string, port: number): void {
  writeOwner(file(area), port)
}

export function release(area: string): void {
  if (readOwner(area)?.pid === process.pid) rmSync(file(area), { force: true })
}

function writeOwner(path: string, port: number): void {
  const owner: Owner = { pid: process.pid, started: startOf(process.pid) ?? '', port }
  writeFileSync(path, JSON.stringify(owner), { mode: 0o600 })
}

/** When a process began, as text that differs when its pid is taken again; undefined where there is none. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' ? undefined : fields[19]
    } catch {
      return undefined
    }
  }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return ps.status === 0 ? ps.stdout.trim() : undefined
}

/** The pid of a postmaster that really runs on this data folder; a stale lock file is removed. */
export function runningPostmaster(data: string): number | undefined {
  const lock = join(data, 'postmaster.pid')
  if (!existsSync(lock)) return undefined
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  if (Number.isInteger(pid) && pid > 0 && isPostmaster(pid, data)) return pid
  rmSync(lock, { force: true })
  return undefined
}

function isPostmaster(pid: number, data: string): boolean {
  if (process.platform === 'linux') {
    try {
      return startOf(pid) !== undefined && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data)
    } catch {
      return false
    }
  }
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return ps.status === 0 && ps.stdout.includes('postgres') && ps.stdout.includes(data)
}
