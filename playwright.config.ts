import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, devices } from '@playwright/test'
import { BASE_URL, STACK_DIR, stateFile } from './e2e/support/constants'

const SYSTEM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const chromium = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path))
const launchOptions = chromium ? { executablePath: chromium, args: ['--disable-dev-shm-usage', '--disable-gpu'] } : {}
const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } }
const phone = { ...devices['Desktop Chrome'], viewport: { width: 390, height: 844 }, hasTouch: true }

export default defineConfig({
  testDir: 'e2e',
  // Playwright empties it when it starts: each stack has one of its own.
  outputDir: join('test-results', STACK_DIR.slice(1)),
  // One stack, whose state the tests change: one after another, each on groups of its own.
  workers: 1,
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
  webServer: {
    command: 'node --import tsx e2e/support/stack.ts',
    wait: { stdout: /^ready$/m },
    timeout: 480_000,
    stdout: 'pipe',
    stderr: 'pipe',
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
  },
})
