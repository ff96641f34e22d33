import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readArgs } from './support/args'
import { ensureChromium } from './support/chromium'
import { playwrightFailures, vitestFailures, type PlaywrightReport, type VitestReport } from './support/failures'
import { ROOT } from './support/paths'

/** `npm test`: everything that needs no Go. Each part runs even where one before it failed; the last line counts. */
interface Count {
  passed: number
  failed: number
}

/** Said once more before the last line. */
const failures: string[] = []
const results = mkdtempSync(join(tmpdir(), 'drydock-results-'))
const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name)

function run(command: string, args: string[], env: Record<string, string> = {}): boolean {
  return spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
}

const check = (...commands: [string, string[]][]): Count => {
  const failed = commands.filter(([command, args]) => !run(command, args))
  failures.push(...failed.map(([command, args]) => `✗ ${basename(command)} ${args.join(' ')}`))
  return failed.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** The filters; what they name may lie in another part. That it lies in one is looked at in the end. */
const elsewhere = (flag: string): string[] => (filters.length > 0 ? [...filters, flag] : [])

function vitest(project: string): Count {
  const file = join(results, `${project}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const ok = run(bin('vitest'), ['run', '--project', project, ...reporters, ...elsewhere('--passWithNoTests')])
  return counted(ok, file, (report: VitestReport) => {
    failures.push(...vitestFailures(report))
    return { passed: report.numPassedTests, failed: report.numFailedTests }
  })
}

function e2e(): Count {
  const { path } = ensureChromium((line) => console.log(line))
  const file = join(results, 'e2e.json')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file, ...(path ? { CHROMIUM_PATH: path } : {}) }
  const ok = run(bin('playwright'), ['test', '--reporter=list,json', ...elsewhere('--pass-with-no-tests')], env)
  return counted(ok, file, (report: PlaywrightReport) => {
    failures.push(...playwrightFailures(report))
    const { expected, flaky, unexpected } = report.stats
    return { passed: expected + flaky, failed: unexpected }
  })
}

/** What a report says; a run that failed without a failed test (it did not even start) is a failure, too. */
function counted<Report>(ok: boolean, file: string, read: (report: Report) => Count): Count {
  let count: Count = { passed: 0, failed: 0 }
  try {
    count = read(JSON.parse(readFileSync(file, 'utf8')) as Report)
  } catch {
    ok = false
  }
  return ok || count.failed > 0 ? count : { ...count, failed: 1 }
}

const PARTS: Record<string, () => Count> = {
  lint: () =>
    check(
      [process.execPath, ['tools/lockfile.mjs']],
      [bin('eslint'), ['.']],
      [bin('prettier'), ['--check', '--log-level', 'warn', '.']],
    ),
  typecheck: () => check([bin('next'), ['typegen']], [bin('tsc'), ['--noEmit']]),
  unit: () => vitest('unit'),
  services: () => vitest('services'),
  e2e,
}

const USAGE = `npm test -- [--only ${Object.keys(PARTS).join(',')}] [part of a test file's path …]`
const { values, positionals: filters } = readArgs(USAGE, () =>
  parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } }, allowPositionals: true }),
)
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const names = values.only ? values.only.split(',') : Object.keys(PARTS)
const unknown = names.find((name) => !PARTS[name])
if (unknown) {
  console.error(`--only takes ${Object.keys(PARTS).join(', ')}; there is no ${unknown}.`)
  process.exit(2)
}

const total: Count = { passed: 0, failed: 0 }
let tests = 0
try {
  for (const name of names) {
    console.log(`\n── ${name}`)
    let count: Count
    try {
      count = PARTS[name]!()
    } catch (error) {
      console.error((error as Error).message)
      failures.push(`✗ ${name}: ${(error as Error).message}`)
      count = { passed: 0, failed: 1 }
    }
    if (name !== 'lint' && name !== 'typecheck') tests += count.passed + count.failed
    total.passed += count.passed
    total.failed += count.failed
  }
} finally {
  rmSync(results, { recursive: true, force: true })
}
if (filters.length > 0 && tests === 0) {
  console.error(`No test file has ${filters.join(' or ')} in its path.`)
  total.failed = 1
}
if (failures.length > 0) console.log(['', ...failures].join('\n'))
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed > 0 ? 1 : 0)
