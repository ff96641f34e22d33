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
  // What a process keeps once, whatever reloads its modules (lib/seal.ts); connections are closed by whoever opens the next database.
  const kept = Object.keys(globalThis).filter((name) => /^__drydock(?!Prisma|Pool|Session|Gate)/.test(name))
  for (const name of kept) Reflect.deleteProperty(globalThis, name)
})
