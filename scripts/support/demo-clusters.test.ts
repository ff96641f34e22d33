import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kubectlWords, leftWords, personWords, requireSize } from './demo-clusters'

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

it('says how to change something with kubectl, in words that a shell takes, whatever the folder is called', () => {
  const file = "/tmp/it's here/kubeconfig"
  const words = kubectlWords([{}, { adminFile: file }])!
  const [set, patch] = words.split('\n').filter((line) => line.startsWith('  '))
  const script = `${set}\nkubectl() { printf '%s\\n' "$KUBECONFIG" "$@"; }\n${patch}`
  const said = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd().split('\n')
  expect(said[0]).toBe(file)
  expect(JSON.parse(said.at(-1)!)).toEqual({ spec: { version: 'v1.34.2' } })
  expect(kubectlWords([{}])).toBeNull()
})

it('says how a second person comes in, in a line that a shell takes, whatever the folder is called', () => {
  const dir = "/tmp/it's here"
  const line = personWords(dir)
    .split('\n')
    .find((one) => one.startsWith('  '))!
  const script = `env() { printf '%s\\n' "$@"; }\n${line}`
  const said = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd().split('\n')
  expect(said.slice(0, 5)).toEqual(['-u', 'DATABASE_URL', '-u', 'DRYDOCK_URL', `DRYDOCK_DATA_DIR=${dir}`])
  expect(said.slice(5, 10)).toEqual(['npm', 'run', 'admin', '--', 'add-user'])
  expect(said.slice(-2)).toEqual(['--role', 'approver'])
})

it('says what stays: of the real managers only what Drydock itself keeps', () => {
  expect(leftWords('there', true)).toMatch(/made anew at each start.*database.*stays in there/)
  expect(leftWords('there', false)).toBe('Ctrl-C ends everything. The data stays in there.')
})
