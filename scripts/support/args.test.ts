import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it.each(['scripts/demo.ts', 'scripts/start.ts', 'scripts/test.ts', 'bench/main.ts', 'testenv/main.ts'])(
  '%s says in words what is wrong with its arguments, and how it is used',
  (file) => {
    const run = spawnSync(process.execPath, ['scripts/run.mjs', file, '--bogus'], { encoding: 'utf8' })
    expect(run.status).toBe(2)
    expect(run.stderr).toMatch(/^Unknown option '--bogus'[^\n]*\n\nnpm .* -- /)
    expect(run.stderr).not.toMatch(/^\s+at /m)
  },
)
