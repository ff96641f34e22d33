import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seal, unseal } from './seal'

const dir = mkdtempSync(join(tmpdir(), 'seal-'))
beforeAll(() => {
  process.env.DRYDOCK_KEY_FILE = join(dir, 'deep', 'key')
})
afterAll(() => rmSync(dir, { recursive: true }))

test('what is sealed opens again, and only for its own row', () => {
  const value = seal('a token', 'cluster:1')
  expect(unseal(value, 'cluster:1')).toBe('a token')
  expect(() => unseal(value, 'cluster:2')).toThrow('another row')
})

test('a changed byte is refused', () => {
  const value = seal('a token', 'cluster:1')
  value.sealed[20]! ^= 1
  expect(() => unseal(value, 'cluster:1')).toThrow('does not open')
})

test('another key is named instead of a cryptic failure', () => {
  const value = seal('a token', 'cluster:1')
  expect(() => unseal({ ...value, keyId: 'other' }, 'cluster:1')).toThrow('restore the key file')
})

test('two seals of the same text differ, and the text is not in them', () => {
  const [a, b] = [seal('a token', 'x'), seal('a token', 'x')]
  expect(Buffer.from(a.sealed).equals(Buffer.from(b.sealed))).toBe(false)
  expect(Buffer.from(a.sealed).includes('a token')).toBe(false)
})

test('the key file is made once, readable by its owner alone', () => {
  seal('x', 'y')
  expect(statSync(process.env.DRYDOCK_KEY_FILE!).mode & 0o777).toBe(0o600)
})
