import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the stack of the browser tests lies, and what it says about itself. No import of the project: Playwright reads it, too. */
export const STACK_DIR = process.env.E2E_DIR ?? '.drydock-e2e'
export const STACK_FILE = join(STACK_DIR, 'stack.json')
export const PORT = Number(process.env.E2E_PORT ?? 3210)
export const BASE_URL = `http://localhost:${PORT}`

export const stateFile = (role: string): string => join(STACK_DIR, `${role}.state.json`)

export interface Stack {
  databaseUrl: string
  clusters: { name: string; flavour: string; kubeconfig: string; adminKubeconfig: string }[]
}

export const readStack = (): Stack => JSON.parse(readFileSync(STACK_FILE, 'utf8')) as Stack
