import { existsSync } from 'node:fs'
import { defineConfig, devices } from '@playwright/test'
import { BASE_URL, stateFile } from './e2e/support/constants'

const SYSTEM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const chromium = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path))
const launchOptions = chromium ? { executablePath: chromium, args: ['--disable-dev-shm-usage', '--disable-gpu'] } : {}
const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } }
const phone = { ...devices['Desktop Chrome'], viewport: { width: 390, height: 844 }, hasTouch: true }
/** `npm test` says how many. */
const STACKS = Number(process.env.E2E_STACKS ?? 1)

export default defineConfig({
  testDir: 'e2e',
  // Each on a stack of its own, whose state the tests change: there one after another, each on groups of its own.
  workers: STACKS,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  timeout: process.env.CI ? 120_000 : 60_000,
  // A machine that is busy with something else gets a second chance; what needed it is named in the report.
  retries: process.env.CI ? 2 : 0,
  expect: { timeout: 15_000 },
  use: {
    baseURL: BASE_URL,
    storageState: stateFile('admin'),
    // Watching costs a third of the browser's time; in CI what failed is watched when it is repeated.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    video: 'off',
    launchOptions,
  },
  projects: [
    { name: 'desktop', use: desktop, testIgnore: '**/*.phone.spec.ts' },
    { name: 'phone', use: phone, testMatch: '**/*.phone.spec.ts' },
  ],
  webServer: Array.from({ length: STACKS }, (_, i) => ({
    command: 'node --import tsx e2e/support/stack.ts',
    env: { E2E_STACK: String(i) },
    wait: { stdout: /^ready$/m },
    timeout: 480_000,
    stdout: 'pipe' as const,
    stderr: 'pipe' as const,
    gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 30_000 },
  })),
})
