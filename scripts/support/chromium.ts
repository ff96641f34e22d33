import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A Chromium that is here: the one that CHROMIUM_PATH names, the system's, or Playwright's (undefined then). */
export function chromiumHere(): { path: string | undefined } | null {
  const named = process.env.CHROMIUM_PATH
  if (named) return existsSync(named) ? { path: named } : null
  const system = SYSTEM.find((path) => existsSync(path))
  if (system) return { path: system }
  return existsSync(chromium.executablePath()) ? { path: undefined } : null
}

/** The same, fetched where there is none: by Playwright, else by the system's package manager where we may. */
export function ensureChromium(say: (line: string) => void): { path: string | undefined } {
  const here = chromiumHere()
  if (here) return here
  if (process.env.CHROMIUM_PATH)
    throw new Error(`CHROMIUM_PATH names ${process.env.CHROMIUM_PATH}, which is not there.`)
  say('No Chromium here: fetching Playwright’s …')
  run('npx', ['playwright', 'install', 'chromium'])
  const fetched = chromiumHere()
  if (fetched) return fetched
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say('That did not work: installing the system’s …')
    run('apt-get', ['update', '-q'])
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-liberation'])
  }
  const installed = chromiumHere()
  if (installed) return installed
  throw new Error('The browser tests need Chromium: install it (apt-get install chromium), or set CHROMIUM_PATH.')
}

function run(command: string, args: string[]): void {
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}
