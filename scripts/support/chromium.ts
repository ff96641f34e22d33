import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { ROOT } from './paths'

/** The shell first: it has no windows to draw, and takes half the processor's time of a whole Chromium. */
const SYSTEM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const APT = ['install', '-y', '-q', '--no-install-recommends', 'fonts-liberation']
/** How the system's package manager installs one, until one is there; the last is what to type by hand. */
const MANAGERS = [
  {
    at: '/usr/bin/apt-get',
    steps: [
      ['update', '-q'],
      [...APT, 'chromium-headless-shell'],
      [...APT, 'chromium'],
    ],
  },
  { at: '/usr/bin/dnf', steps: [['install', '-y', 'chromium', 'liberation-fonts']] },
  { at: '/sbin/apk', steps: [['add', 'chromium', 'font-liberation']] },
]

/** What the machine is asked; tests give another one. */
export interface Machine {
  named: string | undefined
  playwrights: string
  root: boolean
  exists(path: string): boolean
  /** Whether it starts at all: a file may be a stub, or lack its libraries. */
  starts(path: string): boolean
  run(command: string, args: string[]): void
}

/** A Chromium that is here: the one that CHROMIUM_PATH names, the system's, or Playwright's (undefined then). */
export function chromiumHere(on: Machine = here()): { path: string | undefined } | null {
  const works = (path: string): boolean => on.exists(path) && on.starts(path)
  if (on.named) return works(on.named) ? { path: on.named } : null
  const system = SYSTEM.find(works)
  if (system) return { path: system }
  return works(on.playwrights) ? { path: undefined } : null
}

/** The same, fetched where there is none: by Playwright, else by the system's package manager where we may. */
export function ensureChromium(say: (line: string) => void, on: Machine = here()): { path: string | undefined } {
  const found = chromiumHere(on)
  if (found) return found
  if (on.named) {
    throw new Error(
      `CHROMIUM_PATH names ${on.named}, which ${on.exists(on.named) ? 'does not start' : 'is not there'}.`,
    )
  }
  say('No Chromium here: fetching Playwright’s …')
  on.run(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
  const fetched = chromiumHere(on)
  if (fetched) return fetched
  const manager = MANAGERS.find(({ at }) => on.exists(at))
  if (on.root && manager) {
    say('That one is not here or does not start: installing the system’s …')
    for (const step of manager.steps) {
      on.run(manager.at, step)
      const installed = chromiumHere(on)
      if (installed) return installed
    }
  }
  const byHand = manager ? `${manager.at} ${manager.steps.at(-1)!.join(' ')}, as root` : 'with your package manager'
  throw new Error(`The browser tests need Chromium: install it (${byHand}), or set CHROMIUM_PATH.`)
}

const here = (): Machine => ({
  named: process.env.CHROMIUM_PATH || undefined,
  playwrights: chromium.executablePath(),
  root: process.getuid?.() === 0,
  exists: existsSync,
  starts: (path) => spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 30_000 }).status === 0,
  run: (command, args) => {
    spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  },
})
