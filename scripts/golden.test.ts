import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './support/paths'

const LOGS = join(ROOT, 'lib/domain/rollout/golden/testing')
const TABLES = join(ROOT, 'sandbox/openshift/golden/tables')
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

  it('plays tables row by row, and names what is known better on purpose', () => {
    const dir = join(folder, 'tables', 'below')
    mkdirSync(dir, { recursive: true })
    const table = JSON.parse(readFileSync(join(TABLES, 'skew.json'), 'utf8')) as { rows: { id: string; out: object }[] }
    const rows = ['default/AWS', 'mbi/AWS/none', 'pools/degraded/skew-bad'].map((id) =>
      table.rows.find((r) => r.id === id)!,
    )
    rows[1] = { ...rows[1]!, out: { ...rows[1]!.out, mode: 'None' } }
    writeFileSync(join(dir, 'skew.json'), JSON.stringify({ ...table, rows }))
    const { stdout, status } = golden(join(folder, 'tables'))
    expect(stdout.split('\n')).toEqual([
      '✗ below/skew.json, mbi/AWS/none: mode',
      '    table: "None"',
      '    ours:  "Manual"',
      expect.stringMatching(/^~ below\/skew.json, pools\/degraded\/skew-bad: hidden by a pool\. /),
      '2 passed, 1 failed',
      '',
    ])
    expect(status).toBe(1)
  })

  it('plays passes and recorded courses of boot image updates', () => {
    const dir = join(folder, 'boot-images')
    mkdirSync(dir)
    const read = (name: string) => JSON.parse(readFileSync(join(TABLES, name), 'utf8')) as Record<string, unknown>
    const images = read('boot-images.json') as { rows: { id: string; out: Record<string, unknown> }[] }
    const rows = ['GCP/outdated', 'GCP/no-images', 'Azure/current'].map((id) => images.rows.find((r) => r.id === id)!)
    rows[2] = { ...rows[2]!, out: { ...rows[2]!.out, decision: 'skipped' } }
    writeFileSync(join(dir, 'boot-images.json'), JSON.stringify({ ...images, rows }))
    const course = read('boot-image-sequences.json') as { steps: unknown[] }
    writeFileSync(
      join(dir, 'boot-image-sequences.json'),
      JSON.stringify({ ...course, steps: course.steps.slice(0, 3) }),
    )
    const { stdout, status } = golden(dir)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^~ boot-images.json, GCP\/no-images: names what stops the controller\. /),
      '✗ boot-images.json, Azure/current: decision',
      '    table: "skipped"',
      '    ours:  "unchanged"',
      '5 passed, 1 failed',
      '',
    ])
    expect(status).toBe(1)
  })

  it('does not pass where there is nothing to play', () => {
    const dir = join(folder, 'nothing')
    mkdirSync(dir)
    const { stdout, stderr, status } = golden(dir)
    expect(stderr).toContain(
      `There is nothing to play in ${dir}: no file that ends in .test.log.golden, and no skew.json`,
    )
    expect([stdout, status]).toEqual(['0 passed, 0 failed\n', 1])
  })

  it.each([
    [[], 'Say one folder of logs or tables.'],
    [['missing'], 'missing cannot be read as a folder'],
    [['--fast', 'a'], "Unknown option '--fast'"],
  ])('says how it is called: %j', (args, sentence) => {
    const { stderr, status } = golden(...args)
    expect(stderr).toContain(sentence)
    expect(status).toBe(2)
  })
})
