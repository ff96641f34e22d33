import { afterAll, vi } from 'vitest'

const before = { ...process.env }

/**
 * Test files share a process: what comes from other packages is loaded once, a third of a test run's time. What a file sets, no other
 * finds, and modules of our own are made anew for each.
 */
afterAll(() => {
  vi.resetModules()
  vi.restoreAllMocks()
  vi.useRealTimers()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  // What a process keeps once, whatever reloads its modules (lib/db/client.ts, lib/seal.ts).
  for (const name of Object.keys(globalThis)) if (name.startsWith('__drydock')) Reflect.deleteProperty(globalThis, name)
})
