import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireSize } from './demo-clusters'

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'drydock-size-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('makes a fleet of the size that is asked for first, and refuses another one in words', () => {
  const dir = join(folder, 'asked')
  requireSize(dir, 5000)
  requireSize(dir, 5000)
  requireSize(dir, undefined)
  expect(() => requireSize(dir, 60)).toThrow(/about 5000 machines\. For one of 60, add --dir FOLDER/)
})

it('counts the usual size as asked for', () => {
  const dir = join(folder, 'usual')
  requireSize(dir, undefined)
  requireSize(dir, 60)
  expect(() => requireSize(dir, 5000)).toThrow(/about 60 machines/)
})
