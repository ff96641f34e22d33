import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Settings for data that may be lost in a crash: no waiting for the disk. */
export const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const MEMORY = '/dev/shm'
const ENOUGH = 4 * 2 ** 30

/**
 * Folders for such data, the first that serves is to be taken: in memory, where there is enough of it (a database of its own for
 * each test file is hundreds of files made and deleted), else where temporary files are.
 */
export function throwawayDirs(): string[] {
  return [...(hasMemory() ? [MEMORY] : []), tmpdir()]
}

export function makeThrowaway(parent: string): string {
  removeLeft(parent)
  return mkdtempSync(join(parent, 'drydock-test-'))
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) > ENOUGH
  } catch {
    return false
  }
}

const DAY = 86_400_000

/** Of runs that were killed: no run takes a day. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith('drydock-test-')))
    try {
      const path = join(parent, name)
      if (statSync(path).mtimeMs < Date.now() - DAY) rmSync(path, { recursive: true, force: true })
    } catch {
      // It is somebody else's.
    }
}
