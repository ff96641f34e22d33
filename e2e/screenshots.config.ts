import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import tests from '../playwright.config'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The same stack as the tests', fresh: only to take pictures of. */
const config = {
  ...tests,
  testDir: '.',
  testMatch: 'screenshots.ts',
  outputDir: `${root}/test-results`,
  webServer: { ...[tests.webServer!].flat()[0]!, cwd: root, env: { SANDBOX_SPEED: '1' } },
  projects: tests.projects?.slice(0, 1),
}

export default config
