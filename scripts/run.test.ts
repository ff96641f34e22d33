import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './support/paths'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-run-'))
  writeFileSync(
    join(folder, 'program.ts'),
    `const n: number = 3; console.log(JSON.stringify([process.argv.slice(2), n])); process.exit(n)`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (before: string[], ...args: string[]) =>
  spawnSync(process.execPath, [...before, join(ROOT, 'scripts/run.mjs'), join(folder, 'program.ts'), ...args], {
    encoding: 'utf8',
    cwd: ROOT,
  })

const pretend = (version: string): string[] => [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
]

describe('scripts/run.mjs', () => {
  it('runs TypeScript with the arguments and the exit code of the program', () => {
    const { stdout, status } = run([], 'users', '--json', 'x y')
    expect(JSON.parse(stdout)).toEqual([['users', '--json', 'x y'], 3])
    expect(status).toBe(3)
  })

  it.each(['16.20.2', '18.20.4', '20.18.3'])('says in words that Node %s is too old', (version) => {
    const { stderr, stdout, status } = run(pretend(version))
    expect(stderr).toContain(`Drydock needs Node 20.19 or later; this is ${version}.`)
    expect([stdout, status]).toEqual(['', 1])
  })

  it.each(['20.19.0', '22.1.0', '100.0.0'])('lets Node %s through', (version) => {
    expect(run(pretend(version)).status).toBe(3)
  })
})

it.each(['verify-audit', 'export-audit'])('%s says nothing of a database that it would have to make', (command) => {
  const { DATABASE_URL: _, ...env } = process.env
  const dir = join(folder, 'no-data')
  const args = [join(ROOT, 'scripts/run.mjs'), join(ROOT, 'scripts/admin.ts'), command]
  const said = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: ROOT,
    env: { ...env, DRYDOCK_DATA_DIR: dir },
  })
  expect([said.status, said.stdout]).toEqual([1, ''])
  expect(said.stderr).toContain(`There is no database in ${dir}.`)
  expect(existsSync(dir)).toBe(false)
})
