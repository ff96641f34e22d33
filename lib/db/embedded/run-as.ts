import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
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
 * user may not enter (a 0700 home), it lies under /var/lib/drydock instead, by the name of the folder that was asked for.
 */
export function makeArea(wanted: string, as: RunAs): string {
  const folder = resolve(wanted)
  makeFolder(folder, as)
  if (canReach(folder, as)) return folder
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 12)
  const area = join(process.env.DRYDOCK_STATE_DIR ?? '/var/lib/drydock', `postgres-${name}`)
  makeFolder(area, as)
  if (canReach(area, as)) return area
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
