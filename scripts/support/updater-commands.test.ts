import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '@/lib/services/context'
import { fakeUpdater, type FakeUpdater } from '@/lib/services/updaters/testing'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { COMMANDS } from './admin-commands'

useTestDatabase()

const folder = mkdtempSync(join(tmpdir(), 'drydock-updaters-'))
const ca = join(folder, 'ca.pem')
let authority: Pair
let whole: FakeUpdater
let workersOnly: FakeUpdater

beforeAll(async () => {
  authority = await makeAuthority()
  const leaf = await makeLeaf(authority, ['127.0.0.1'])
  whole = await fakeUpdater(leaf)
  workersOnly = await fakeUpdater(leaf, ['CanUpdateMachineSet', 'UpdateMachine'])
  writeFileSync(ca, authority.certPem)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([whole?.stop(), workersOnly?.stop()])
})
beforeEach(async () => {
  await db().updater.deleteMany({})
  await db().managementCluster.deleteMany({})
  await db().managementCluster.create({ data: { name: 'atlas', server: 'https://127.0.0.1:1' } })
})

async function run(name: string, ...args: string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = []
  const code = await COMMANDS[`updater:${name}`]!.run(systemCtx('test'), args, (line) => lines.push(line))
  return { code, lines }
}
const add = (name: string, ...more: string[]) => run('add', name, '--url', whole.url, '--ca', ca, ...more)
const list = async (...args: string[]) => (await run('list', ...args)).lines
const refused = (promise: Promise<unknown>) => expect(promise).rejects

test('none: what that means', async () => {
  expect(await list()).toEqual(['No updater is configured: nothing can be changed in place.'])
})

test('added for some groups at a place, listed with its health, moved and removed', async () => {
  const groups = [
    '--namespace',
    'fleet',
    '--namespace',
    'edge',
    '--kind',
    'MachineDeployment',
    '--workload-cluster',
    'c1',
  ]
  await add('kubelet', '--cluster', 'atlas')
  expect((await add('os', ...groups, '--position', '1')).lines).toEqual(['Added os. What waits is asked about anew.'])
  const answered = /  answers \([-\d]+T[\d:.]+Z, \d+ ms\)$/
  const listed = await list('--cluster', 'atlas')
  expect(listed.every((line) => answered.test(line))).toBe(true)
  expect(listed.map((line) => line.replace(answered, ''))).toEqual([
    `1. os  ${whole.url}  worker groups in namespaces edge and fleet of cluster c1 of every management cluster`,
    `2. kubelet  ${whole.url}  every group of atlas`,
  ])
  expect((await run('move', 'os', 'down')).lines).toEqual(['The order is now kubelet, os.'])
  expect((await run('move', 'os', '1')).lines).toEqual(['The order is now os, kubelet.'])
  await run('remove', 'os')
  expect(await list()).toHaveLength(1)
  const audited = await db().auditEvent.findMany({ where: { targetName: 'os' }, orderBy: { id: 'asc' } })
  expect(audited.map(({ action }) => action)).toEqual([
    'updater.added',
    'updater.moved',
    'updater.moved',
    'updater.removed',
  ])
})

test('the place is one in the list of the cluster, over the heads of others', async () => {
  await db().managementCluster.create({ data: { name: 'borea', server: 'https://127.0.0.1:2' } })
  await add('a', '--cluster', 'borea')
  await add('b', '--cluster', 'atlas')
  await add('c', '--cluster', 'atlas', '--position', '1')
  expect((await list('--cluster', 'atlas')).map((line) => line.split('  ')[0])).toEqual(['1. c', '2. b'])
  expect((await list()).map((line) => line.split('  ')[0])).toEqual(['1. a', '2. c', '3. b'])
})

describe('edited', () => {
  test('only what is given changes; groups replace the whole selection, and --all-groups lifts it', async () => {
    await add('kubelet', '--namespace', 'fleet', '--kind', 'MachineDeployment')
    await run('edit', 'kubelet', '--url', workersOnly.url)
    const row = () => db().updater.findUniqueOrThrow({ where: { name: 'kubelet' } })
    expect(await row()).toMatchObject({
      url: workersOnly.url,
      groups: { namespaces: ['fleet'], kinds: ['MachineDeployment'] },
    })
    await run('edit', 'kubelet', '--workload-cluster', 'c1')
    expect((await row()).groups).toEqual({ workloadClusters: ['c1'] })
    await run('edit', 'kubelet', '--all-groups')
    expect((await row()).groups).toBeNull()
  })

  test.each([
    [[], 'Say what to change.'],
    [['--all-groups', '--namespace', 'x'], 'Say either --all-groups or which ones.'],
  ])('called with %j it says what is wrong', async (args, sentence) => {
    await add('kubelet')
    await refused(run('edit', 'kubelet', ...args)).toMatchObject({ message: sentence, code: 'ERR_PARSE_ARGS' })
  })
})

test('asked now: what it handles and what it is not for; of no use: exit code 1, and the list says since when', async () => {
  await run('add', 'workers', '--url', workersOnly.url, '--ca', ca)
  const { code, lines } = await run('check', 'workers')
  expect(code).toBe(0)
  expect(lines[0]).toMatch(/^It answered in \d+ ms and handles CanUpdateMachineSet, UpdateMachine\.$/)
  expect(lines[1]).toMatch(/^Its certificate ends \d{4}-/)
  expect(lines[2]).toBe('It is not for KubeadmControlPlanes: it does not handle CanUpdateMachine.')
  expect((await list())[0]).toMatch(/ {2}answers \(.*, \d+ ms\)$/)
  await db().updater.updateMany({ data: { url: 'https://127.0.0.1:1' } })
  const gone = await run('check', 'workers')
  expect(gone).toEqual({ code: 1, lines: ['The updater workers cannot be reached (ECONNREFUSED).'] })
  expect((await list())[0]).toMatch(/ {2}failing since .*cannot be reached \(ECONNREFUSED\)\.$/)
})

test.each([
  [['list', '--cluster', 'nowhere'], 'There is no management cluster nowhere.'],
  [['check', 'nobody'], 'There is no updater nobody.'],
  [['remove'], 'Say which updater, by its name.'],
  [['move', 'x', '0'], 'A place is a number from 1 on, as updater:list shows it.'],
  [['move', 'x'], 'Say which updater, and up, down or a place.'],
  [
    ['add', 'x', '--url', 'https://127.0.0.1:1', '--ca', '/nowhere.pem'],
    /certificate authority \/nowhere.pem cannot be read/,
  ],
  [['add', 'x', '--url', 'https://127.0.0.1:1'], 'Paste the certificate authority of the updater.'],
])('%j is refused in one sentence', async ([name, ...args], message) => {
  await refused(run(name!, ...args)).toThrow(message)
  expect(await db().updater.count()).toBe(0)
})
