import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

/** Each worker has a stack of its own: half of a browser test is waiting for machines. */
const STACKS = '3'

/** All browser tests on some stacks at once; with `filters`, what these name, on one. `results`: a folder for reports. */
export async function browserTests(filters: readonly string[], results: string): Promise<BrowserTests> {
  const { path } = ensureChromium((line) => console.log(line))
  const file = join(results, 'e2e.json')
  const env: NodeJS.ProcessEnv = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: file }
  if (path) env.CHROMIUM_PATH = path
  const args = ['test', '--reporter=list,json']
  if (filters.length > 0) args.push('--pass-with-no-tests', ...filters)
  else {
    env.E2E_STACKS = STACKS
    // All look at the same pages: built once, before they start.
    env.NEXT_DIST_DIR = process.env.NEXT_DIST_DIR ??= '.next-e2e'
    await ensureBuild((line) => console.log(line), new Ending())
  }
  const playwright = spawn(join(ROOT, 'node_modules/.bin/playwright'), args, {
    ...{ cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] },
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    playwright.once('error', reject)
    playwright.once('exit', resolve)
  })
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
