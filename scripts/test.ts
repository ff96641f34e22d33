import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readArgs } from './support/args'
import { browserTests } from './support/browser-tests'
import { failedFiles, testsPassed, vitestFailures, type VitestReport } from './support/failures'
import { ROOT } from './support/paths'

/** `npm test`: everything that needs no Go. Each part runs even where one before it failed; the last line counts. */
interface Count {
  passed: number
  failed: number
}

/** More is no accident. */
const MOST_REPEATED = 5
/** Said once more before the last line. */
const failures: string[] = []
const results = mkdtempSync(join(tmpdir(), 'drydock-results-'))
const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name)

/** `kept`: what it says is kept and said in one piece when it is over, for others talk meanwhile. */
async function run(command: string, args: string[], kept = false): Promise<boolean> {
  const child = spawn(command, args, { cwd: ROOT, stdio: kept ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (said) console.log(`\n── ${basename(command)}\n${said.trimEnd()}`)
  return code === 0
}

async function check(...commands: [string, string[]][]): Promise<Count> {
  const failed: string[] = []
  for (const [command, args] of commands)
    if (!(await run(command, args, true))) failed.push(`✗ ${basename(command)} ${args.join(' ')}`)
  failures.push(...failed)
  return failed.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** The filters; what they name may lie in another part. That it lies in one is looked at in the end. */
const without = (files: string[], flag: string): string[] => (files.length > 0 ? [flag] : [])

interface Attempt {
  report: VitestReport | null
  count: Count
}

async function attempt(project: string, files: string[]): Promise<Attempt> {
  const file = join(results, `${project}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const args = ['run', '--project', project, ...reporters, ...files, ...without(files, '--passWithNoTests')]
  const ok = await run(bin('vitest'), args)
  let report: VitestReport | null = null
  const count = counted(ok, file, (read) => {
    report = read
    return { passed: read.numPassedTests, failed: read.numFailedTests }
  })
  return { report, count }
}

/**
 * `repeats`: in CI, files of which something failed are run once more, alone and on another database. What passes then counts, and is
 * named in the end all the same.
 */
async function vitest(project: string, { repeats = false } = {}): Promise<Count> {
  const first = await attempt(project, filters)
  if (!first.report) return first.count
  const wrong = failedFiles(first.report)
  const again = repeats && wrong.length > 0 && wrong.length <= MOST_REPEATED ? await attempt(project, wrong) : null
  failures.push(...vitestFailures(first.report, again?.count.failed === 0 ? ' (passed when repeated)' : ''))
  if (!again) return first.count
  const others = first.count.passed - testsPassed(first.report, wrong)
  return { passed: others + again.count.passed, failed: again.count.failed }
}

async function e2e(): Promise<Count> {
  const { passed, failed, failures: said } = await browserTests(filters, results)
  failures.push(...said)
  return { passed, failed }
}

/** What a report says; a run that failed without a failed test (it did not even start) is a failure, too. */
function counted(ok: boolean, file: string, read: (report: VitestReport) => Count): Count {
  let count: Count = { passed: 0, failed: 0 }
  try {
    count = read(JSON.parse(readFileSync(file, 'utf8')) as VitestReport)
  } catch {
    ok = false
  }
  return ok || count.failed > 0 ? count : { ...count, failed: 1 }
}

const PARTS: Record<string, () => Promise<Count>> = {
  lint: () =>
    check(
      [process.execPath, ['tools/lockfile.mjs']],
      [bin('eslint'), ['.']],
      [bin('prettier'), ['--check', '--log-level', 'warn', '.']],
    ),
  typecheck: () => check([bin('next'), ['typegen']], [bin('tsc'), ['--noEmit']]),
  unit: () => vitest('unit'),
  services: () => vitest('services', { repeats: Boolean(process.env.CI) }),
  e2e,
}
/** Each keeps one core busy: beside one another. The others fill a small machine alone. */
const BESIDE = ['lint', 'typecheck', 'unit']

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
const took: string[] = []
async function part(name: string): Promise<void> {
  console.log(`\n── ${name}`)
  const started = performance.now()
  let count: Count
  try {
    count = await PARTS[name]!()
  } catch (error) {
    console.error((error as Error).message)
    failures.push(`✗ ${name}: ${(error as Error).message}`)
    count = { passed: 0, failed: 1 }
  }
  took.push(`${name} ${Math.round((performance.now() - started) / 1000)} s`)
  if (name !== 'lint' && name !== 'typecheck') tests += count.passed + count.failed
  total.passed += count.passed
  total.failed += count.failed
}
try {
  await Promise.all(names.filter((name) => BESIDE.includes(name)).map(part))
  for (const name of names.filter((name) => !BESIDE.includes(name))) await part(name)
} finally {
  rmSync(results, { recursive: true, force: true })
}
if (filters.length > 0 && tests === 0) {
  console.error(`No test file has ${filters.join(' or ')} in its path.`)
  total.failed = 1
}
if (failures.length > 0) console.log(['', ...failures].join('\n'))
console.log(`\n${took.join(', ')}\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed > 0 ? 1 : 0)
