import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where the stack of the browser tests lies, and what it says about itself. Each of Playwright's workers, which it numbers, has a stack of
 * its own. No import of the project: Playwright reads it, too.
 */
const STACK = Number(process.env.E2E_STACK ?? process.env.TEST_PARALLEL_INDEX ?? 0)
export const STACK_DIR = `.drydock-e2e-${STACK + 1}`
export const STACK_FILE = join(STACK_DIR, 'stack.json')
export const PORT = 3210 + STACK
export const BASE_URL = `http://localhost:${PORT}`

export const stateFile = (role: string): string => join(STACK_DIR, `${role}.state.json`)

export interface Stack {
  databaseUrl: string
  clusters: { name: string; flavour: string; kubeconfig: string; adminKubeconfig: string }[]
}

export const readStack = (): Stack => JSON.parse(readFileSync(STACK_FILE, 'utf8')) as Stack
