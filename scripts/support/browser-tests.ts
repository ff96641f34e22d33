import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuild } from './build'
import { ensureChromium } from './chromium'
import { Ending } from './ending'
import { playwrightFailures, type PlaywrightReport } from './failures'
import { ROOT } from './paths'

export interface BrowserTests {
  passed: number
  failed: number
  failures: string[]
}

/** Each with a stack of its own: most of a browser test is waiting for machines. */
const HALVES = 2
const FIRST_PORT = 3210

/** All browser tests in two halves at once; with `filters`, what these name, on one stack. `results`: a folder for reports. */
export async function browserTests(filters: readonly string[], results: string): Promise<BrowserTests> {
  const { path } = ensureChromium((line) => console.log(line))
  const chromium: Record<string, string> = path ? { CHROMIUM_PATH: path } : {}
  if (filters.length > 0) return one(['--pass-with-no-tests', ...filters], chromium, join(results, 'e2e.json'))
  // Both look at the same pages: built once, before they start.
  process.env.NEXT_DIST_DIR ??= '.next-e2e'
  const ending = new Ending()
  await ensureBuild((line) => console.log(line), ending)
  const halves = await Promise.all(
    Array.from({ length: HALVES }, (_, i) => {
      const env = { ...chromium, E2E_PORT: String(FIRST_PORT + i), E2E_DIR: `.drydock-e2e-${i + 1}` }
      const log = i === 0 ? undefined : join(results, `e2e-${i + 1}.log`)
      return one([`--shard=${i + 1}/${HALVES}`], env, join(results, `e2e-${i + 1}.json`), log)
    }),
  )
  return halves.reduce((all, half) => ({
    passed: all.passed + half.passed,
    failed: all.failed + half.failed,
    failures: [...all.failures, ...half.failures],
  }))
}

/** `log`: what it says is kept there and said when it is over, so that two do not talk at once. */
async function one(args: string[], more: Record<string, string>, file: string, log?: string): Promise<BrowserTests> {
  const env = { ...process.env, ...more, PLAYWRIGHT_JSON_OUTPUT_NAME: file }
  const out = log ? openSync(log, 'w') : ('inherit' as const)
  const playwright = spawn(join(ROOT, 'node_modules/.bin/playwright'), ['test', '--reporter=list,json', ...args], {
    ...{ cwd: ROOT, env, stdio: ['ignore', out, out] },
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    playwright.once('error', reject)
    playwright.once('exit', resolve)
  })
  if (typeof out === 'number') closeSync(out)
  if (log) console.log(readFileSync(log, 'utf8'))
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as PlaywrightReport
    const { expected, flaky, unexpected } = report.stats
    // A run that failed without a failed test is a failure, too.
    const failed = unexpected === 0 && code !== 0 ? 1 : unexpected
    return { passed: expected + flaky, failed, failures: playwrightFailures(report) }
  } catch {
    return { passed: 0, failed: 1, failures: ['✗ The browser tests left no report.'] }
  }
}
