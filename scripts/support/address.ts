import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from '@/lib/env'

/** Where people open these pages, for links that are made beside them by `npm run admin`. */
export function rememberAddress(dir: string, address: string): void {
  writeFileSync(join(dir, 'address'), `${address}\n`)
}

export function publicAddress(): string {
  const { DRYDOCK_URL, DRYDOCK_DATA_DIR } = env()
  return (DRYDOCK_URL ?? remembered(DRYDOCK_DATA_DIR) ?? 'http://localhost:3000').replace(/\/$/, '')
}

function remembered(dir: string): string | undefined {
  try {
    return readFileSync(join(dir, 'address'), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
