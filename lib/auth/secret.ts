import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from '../env'

/** What signs session cookies: from the environment, or a file that the first start makes. */
export function authSecret(): string {
  const { DRYDOCK_SECRET, DRYDOCK_DATA_DIR } = env()
  if (DRYDOCK_SECRET) return DRYDOCK_SECRET
  const file = join(DRYDOCK_DATA_DIR, 'secret')
  mkdirSync(DRYDOCK_DATA_DIR, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32).toString('base64') + '\n', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  chmodSync(file, 0o600)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < 32)
    throw new Error(`${file} is damaged: it must hold at least 32 characters. Delete it to have a new one made.`)
  return secret
}
