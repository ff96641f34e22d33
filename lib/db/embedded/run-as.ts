import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Whom PostgreSQL runs as: it refuses root, so root steps down to an unprivileged user. */
export interface RunAs {
  ids: { uid: number; gid: number } | Record<string, never>
}

const NOBODY = 65534

export function runAs(): RunAs {
  return { ids: process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {} }
}

/** Whether that user may enter the folder: asked of the kernel, by trying. */
export function canReach(folder: string, as: RunAs): boolean {
  if (!('uid' in as.ids)) return true
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { stdio: 'ignore', cwd: '/', ...as.ids }).status === 0
}

/**
 * The folder in which everything of one embedded database lies. Where root runs us below a folder that the unprivileged
 * user may not enter (a 0700 home), it lies under /var/lib/drydock instead, and a file `area` in the folder that was asked
 * for names it: whoever deletes that folder begins anew, as everywhere else.
 */
export function makeArea(wanted: string, as: RunAs): string {
  const folder = resolve(wanted)
  makeFolder(folder, as)
  if (canReach(folder, as)) return folder
  const named = join(folder, 'area')
  const known = existsSync(named) ? readFileSync(named, 'utf8').trim() : ''
  const state = process.env.DRYDOCK_STATE_DIR || '/var/lib/drydock'
  const area = known || join(state, `postgres-${randomBytes(6).toString('hex')}`)
  makeFolder(area, as)
  if (canReach(area, as)) {
    if (!known) writeFileSync(named, `${area}\n`)
    return area
  }
  throw new Error(
    `PostgreSQL does not run as root, and its unprivileged user (uid ${NOBODY}) may enter neither ${folder} nor ${area}. ` +
      'Start Drydock as an ordinary user, or set DATABASE_URL.',
  )
}

function makeFolder(folder: string, as: RunAs): void {
  const made = mkdirSync(folder, { recursive: true, mode: 'uid' in as.ids ? 0o711 : 0o700 })
  // Others may pass through, not look: what is secret in it has modes of its own.
  if ('uid' in as.ids && made) chmodSync(folder, 0o711)
}
