import { describe, expect, it } from 'vitest'
import { chromiumHere, ensureChromium, type Machine } from './chromium'

const PLAYWRIGHTS = '/cache/chrome'
const APT = '/usr/bin/apt-get'
const SHELL = '/usr/bin/chromium-headless-shell'

/** A machine with these files; what is run is written down, and may bring more. */
function machine(
  files: string[],
  more: Partial<Machine> & { brings?: Record<string, string>; broken?: string[] } = {},
) {
  const there = new Set(files)
  const ran: string[] = []
  const on: Machine = {
    named: undefined,
    playwrights: PLAYWRIGHTS,
    root: false,
    exists: (path) => there.has(path),
    starts: (path) => !more.broken?.includes(path),
    run: (command, args) => {
      const line = [command, ...args].join(' ')
      ran.push(line)
      for (const [part, path] of Object.entries(more.brings ?? {})) if (line.endsWith(part)) there.add(path)
    },
    ...more,
  }
  return { on, ran }
}

describe('Chromium for the browser tests', () => {
  it('is the one that is named, else the system’s, else Playwright’s', () => {
    const all = ['/my/own', SHELL, '/usr/bin/chromium', PLAYWRIGHTS]
    expect(chromiumHere(machine(all, { named: '/my/own' }).on)).toEqual({ path: '/my/own' })
    expect(chromiumHere(machine(all).on)).toEqual({ path: SHELL })
    expect(chromiumHere(machine(['/usr/bin/chromium', PLAYWRIGHTS]).on)).toEqual({ path: '/usr/bin/chromium' })
    expect(chromiumHere(machine([PLAYWRIGHTS]).on)).toEqual({ path: undefined })
    expect(chromiumHere(machine([]).on)).toBeNull()
  })

  it('is not a file that does not start, such as the stub of a package that is not installed', () => {
    const { on, ran } = machine(['/usr/bin/chromium-browser', PLAYWRIGHTS], { broken: ['/usr/bin/chromium-browser'] })
    expect(ensureChromium(() => {}, on)).toEqual({ path: undefined })
    expect(ran).toEqual([])
  })

  it('is fetched by Playwright where there is none', () => {
    const { on, ran } = machine([APT], { root: true, brings: { 'install chromium': PLAYWRIGHTS } })
    expect(ensureChromium(() => {}, on)).toEqual({ path: undefined })
    expect(ran).toHaveLength(1)
  })

  it.each([
    ['cannot be fetched', {}],
    ['lacks its libraries', { 'cli.js install chromium': PLAYWRIGHTS }],
  ])('is installed by root’s package manager where Playwright’s %s', (_, fetched) => {
    const { on, ran } = machine([APT], {
      root: true,
      brings: { ...fetched, [SHELL.slice(9)]: SHELL },
      broken: [PLAYWRIGHTS],
    })
    expect(ensureChromium(() => {}, on)).toEqual({ path: SHELL })
    expect(ran.slice(1).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      `${APT} update`,
      `${APT} install`,
    ])
  })

  it('is the whole one where the system has no shell of it', () => {
    const brings = { 'fonts-liberation chromium': '/usr/bin/chromium' }
    const { on } = machine([APT], { root: true, brings, broken: [SHELL] })
    expect(ensureChromium(() => {}, on)).toEqual({ path: '/usr/bin/chromium' })
  })

  it('otherwise says in one line what to do: without root, without a package manager, with a wrong name', () => {
    const said = (m: Machine): string => {
      try {
        return String(ensureChromium(() => {}, m).path)
      } catch (error) {
        return (error as Error).message
      }
    }
    const user = machine([APT])
    expect(said(user.on)).toMatch(
      /need Chromium: install it \(\/usr\/bin\/apt-get install .* as root\), or set CHROMIUM_PATH/,
    )
    expect(user.ran.some((line) => line.startsWith(APT))).toBe(false)
    expect(said(machine([], { root: true }).on)).toMatch(/with your package manager/)
    expect(said(machine([], { named: '/no/such' }).on)).toBe('CHROMIUM_PATH names /no/such, which is not there.')
    expect(said(machine(['/bin/false'], { named: '/bin/false', broken: ['/bin/false'] }).on)).toMatch(/does not start/)
  })
})
