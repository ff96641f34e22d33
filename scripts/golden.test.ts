import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './support/paths'

const LOGS = join(ROOT, 'lib/domain/rollout/golden/testing')
const REPLACED = 'one machine is replaced.test.log.golden'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-golden-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const golden = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/run.mjs'), join(ROOT, 'scripts/golden.ts'), ...args], {
    encoding: 'utf8',
    cwd: ROOT,
  })

describe('npm run golden', () => {
  it('plays our own logs', () => {
    const { stdout, status } = golden(LOGS)
    const recorded = readdirSync(join(LOGS, 'recorded')).filter((name) => name.endsWith('.test.log.golden')).length
    expect([stdout, status]).toEqual([`${3 + recorded} passed, 0 failed\n`, 0])
  })

  it('shows the first difference of each file, also in folders below, and counts', () => {
    const dir = join(folder, 'logs')
    cpSync(LOGS, join(dir, 'own'), { recursive: true, filter: (path) => !path.endsWith('recorded') })
    const log = readFileSync(join(LOGS, REPLACED), 'utf8')
    mkdirSync(join(dir, 'wrong'))
    writeFileSync(join(dir, 'wrong', REPLACED), log.replace('(m1 deleted)', '(m2 deleted)'))
    writeFileSync(join(dir, 'wrong', 'empty.test.log.golden'), '')
    writeFileSync(join(dir, 'wrong', 'notes.txt'), 'not a log')
    const { stdout, status } = golden(dir)
    expect(stdout.split('\n')).toEqual([
      '✗ wrong/empty.test.log.golden: line 1 should be a title, "## …"',
      `✗ wrong/${REPLACED}, line 28`,
      '    log:  [MS controller] - ms1 scale down to 0/0 replicas (m2 deleted)',
      '    ours: [MS controller] - ms1 scale down to 0/0 replicas (m1 deleted)',
      '3 passed, 2 failed',
      '',
    ])
    expect(status).toBe(1)
  })

  it('does not pass where there is nothing to play', () => {
    const dir = join(folder, 'nothing')
    mkdirSync(dir)
    const { stdout, stderr, status } = golden(dir)
    expect(stderr).toBe(`There is no file that ends in .test.log.golden in ${dir}.\n`)
    expect([stdout, status]).toEqual(['0 passed, 0 failed\n', 1])
  })

  it.each([
    [[], 'Say one folder of logs.'],
    [['missing'], 'missing cannot be read as a folder'],
    [['--fast', 'a'], "Unknown option '--fast'"],
  ])('says how it is called: %j', (args, sentence) => {
    const { stderr, status } = golden(...args)
    expect(stderr).toContain(sentence)
    expect(status).toBe(2)
  })
})
