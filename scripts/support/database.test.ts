import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareDataDir } from './database'

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'drydock-data-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('makes the data folder, closed to others but for root’s unprivileged Postgres, which passes through', () => {
  const dir = join(folder, 'a', 'b')
  prepareDataDir(dir)
  expect(statSync(dir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700)
  prepareDataDir(dir) // there already
})

it('says in words where no data can be kept', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => prepareDataDir(join(file, 'data'))).toThrow(/^The data cannot be kept in .*file\/data: .*name another/)
})
