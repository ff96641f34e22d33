import { EventEmitter, on } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKubeClient } from './client'
import { startReflector, type Reflector, type ReflectorOptions } from './reflector'
import { fakeServer, type FakeServer } from './testing/fake-server'
import type { KubeClient } from './types'

let server: FakeServer
let client: KubeClient
let reflector: Reflector
/** What a reader of the events believes to exist: name -> spec.v, checked against the server's objects. */
let believed: Map<string, string>
let calls: string[]

beforeEach(async () => {
  server = await fakeServer()
  client = createKubeClient({ server: server.url }, { inactivityMs: 400 })
  believed = new Map()
  calls = []
})

afterEach(async () => {
  vi.useRealTimers()
  await reflector?.stop()
  await client.close()
  await server.stop()
})

function start(options: Partial<ReflectorOptions> = {}) {
  reflector = startReflector({
    client,
    resource: { group: 'x.io', version: 'v1', plural: 'things' },
    pageSize: 3,
    backoff: { floorMs: 20, capMs: 100 },
    sink: {
      upsert: (object) => {
        believed.set(object.metadata.name, String(object.spec?.v ?? ''))
        calls.push(`upsert ${object.metadata.name}`)
      },
      remove: (key, uid) => {
        believed.delete(key.split('/')[1]!)
        calls.push(`remove ${uid}`)
      },
      synced: (first) => void calls.push(first ? 'synced' : 'relisted'),
    },
    ...options,
  })
}

const until = (check: () => void) => expect.poll(check, { timeout: 5000, interval: 10 })
const believes = (expected: Record<string, string>) => until(() => Object.fromEntries(believed)).toEqual(expected)
const watching = () => until(() => server.watches()).toBe(1)

test('lists in pages, then follows additions, changes and deletions', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) server.put(name, { v: '1' })
  start()
  await watching()
  expect(server.requests).toEqual(['list', 'list continue', 'list continue', 'watch 8'])
  expect(calls.at(-1)).toBe('synced')
  server.put('a', { v: '2' })
  server.remove('b')
  server.put('h', { v: '1' })
  await believes({ a: '2', c: '1', d: '1', e: '1', f: '1', g: '1', h: '1' })
  expect(reflector.status()).toMatchObject({ state: 'watching', objects: 7, events: 3, relists: 0, synced: true })
})

test('a list is as of when it was asked for, however long it takes', async () => {
  const pages = async function* () {
    yield { items: [], resourceVersion: '1', continue: 'x' }
    await setTimeout(300)
    yield { items: [], resourceVersion: '1' }
  }
  start({ client: { pages: pages as unknown as KubeClient['pages'], watch: (...of) => client.watch(...of) } })
  await watching()
  const { seenAt, lastHeardAt } = reflector.status()
  expect(lastHeardAt! - seenAt!).toBeGreaterThanOrEqual(290)
})

test('what a watch brings first may have happened while it was away: seen is what was, from a bookmark on, or after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
  const events = new EventEmitter()
  const watch = async function* (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) {
    for await (const [type, object] of on(events, 'event', { signal })) yield { type, object }
  } as unknown as KubeClient['watch']
  start({ client: { pages: client.pages.bind(client), watch } })
  await until(() => reflector.status().state).toBe('watching')
  let version = 10
  const comes = async (type: string): Promise<number> => {
    const resourceVersion = `${++version}`
    vi.advanceTimersByTime(100)
    events.emit('event', type, { metadata: { name: 'a', uid: 'a', resourceVersion } })
    await until(() => reflector.status().resourceVersion).toBe(resourceVersion)
    const { seenAt, lastHeardAt } = reflector.status()
    return lastHeardAt! - seenAt!
  }
  vi.advanceTimersByTime(60_000)
  expect(await comes('MODIFIED')).toBeGreaterThan(60_000)
  vi.advanceTimersByTime(5_000)
  expect(await comes('MODIFIED')).toBeGreaterThan(65_000)
  expect(await comes('BOOKMARK')).toBe(0)
  expect(await comes('MODIFIED')).toBeGreaterThan(0)
  vi.advanceTimersByTime(5_000)
  expect(await comes('MODIFIED')).toBe(0)
})

test('a bookmark moves the place to go on from, and is no event of an object', async () => {
  const bookmark = { type: 'BOOKMARK', object: { kind: 'Thing', metadata: { resourceVersion: '9' } } }
  server.fault(/^watch/, { line: JSON.stringify(bookmark) })
  start()
  await until(() => server.requests.at(-1)).toBe('watch 9')
  expect(reflector.status()).toMatchObject({ objects: 0, events: 0, resourceVersion: '9' })
})

test('a watch that ends is resumed where it was, without a list', async () => {
  server.put('a', { v: '1' })
  start()
  await watching()
  server.put('a', { v: '2' })
  await believes({ a: '2' })
  server.endWatches()
  server.put('b', { v: '1' })
  await believes({ a: '2', b: '1' })
  expect(server.requests.filter((r) => r.startsWith('list'))).toHaveLength(1)
  expect(server.requests.filter((r) => r.startsWith('watch'))).toEqual(['watch 2', 'watch 3'])
})

test('410 in a watch: lists anew, finds what was deleted and what was made again under the same name', async () => {
  for (const name of ['a', 'b', 'c', 'd']) server.put(name, { v: '1' })
  start()
  await watching()
  calls = []
  server.endWatches(true)
  server.remove('b')
  server.remove('c')
  server.put('c', { v: '2' }, 'uid-c2')
  server.endWatches(true)
  await believes({ a: '1', c: '2', d: '1' })
  await until(() => calls).toContain('relisted')
  expect(calls).toEqual(['remove uid-c', 'upsert c', 'remove uid-b', 'relisted'])
  expect(reflector.status().relists).toBe(1)
  await watching()
})

test('410 in the middle of a list: begins again and ends right', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) server.put(name, { v: '1' })
  server.fault(/list continue/, { code: 410, body: JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired' }) })
  start()
  await watching()
  expect(server.requests.slice(0, 3)).toEqual(['list', 'list continue', 'list'])
  expect(believed.size).toBe(7)
})

test.each([
  ['reset', 'reset'],
  ['an answer cut in the middle', 'truncate'],
  ['503', { code: 503 }],
  ['429', { code: 429 }],
] as const)('%s in the middle of a list: goes on with the same page', async (_, fault) => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) server.put(name, { v: '1' })
  server.fault(/list continue/, fault, 2)
  start()
  await watching()
  expect(server.requests.filter((r) => r === 'list')).toHaveLength(1)
  expect(believed.size).toBe(7)
  expect(calls.filter((c) => c === 'upsert d')).toHaveLength(1)
})

test.each([
  ['reset', 'reset'],
  ['503', { code: 503 }],
  ['a line that is not JSON', { line: '{"type":"ADDED","obj' }],
  [
    'an ERROR event that is not 410',
    { line: '{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd"}}' },
  ],
] as const)('%s in a watch: nothing is lost', async (_, fault) => {
  server.put('a', { v: '1' })
  server.fault(/watch/, fault, 2)
  start()
  await until(() => reflector.status().state).toBe('watching')
  server.put('a', { v: '2' })
  server.put('b', { v: '1' })
  await believes({ a: '2', b: '1' })
})

test('a server that closes every watch at once is not asked in a hot loop', async () => {
  server.put('a')
  server.fault(/watch/, 'close', 1000)
  start({ backoff: { floorMs: 100, capMs: 10_000 } })
  await until(() => server.requests.length).toBeGreaterThanOrEqual(3)
  const before = server.requests.length
  const began = Date.now()
  await until(() => server.requests.length).toBeGreaterThanOrEqual(before + 2)
  expect(Date.now() - began).toBeGreaterThan(200)
})

test('a silent watch is given up; after several, the list is read anew, never older than what was seen', async () => {
  server.put('a', { v: '1' })
  server.mute = true
  start()
  await watching()
  server.put('a', { v: '2' })
  await believes({ a: '2' })
  const four = ['watch 2', 'watch 2', 'watch 2', 'watch 2']
  expect(server.requests.slice(0, 6)).toEqual(['list', ...four, 'list not older than 2'])
})

test('a missing permission is said, with the words of the server, and mended by itself', async () => {
  const message = 'things.x.io is forbidden: User "drydock" cannot list resource "things"'
  server.put('a', { v: '1' })
  server.fault(/list/, { code: 403, body: JSON.stringify({ kind: 'Status', code: 403, message }) }, 2)
  start()
  await until(() => reflector.status()).toMatchObject({ state: 'backoff', code: 403, message })
  await believes({ a: '1' })
  await until(() => reflector.status()).toMatchObject({ state: 'watching', message: undefined })
})

test('what the server does not serve is absent', async () => {
  server.fault(/list/, { code: 404 }, 1000)
  start()
  await until(() => reflector.status().state).toBe('absent')
})

test('wake ends a long back-off', async () => {
  server.put('a', { v: '1' })
  server.fault(/list/, { code: 503 }, 1)
  start({ backoff: { floorMs: 60_000, capMs: 60_000 } })
  await until(() => reflector.status().state).toBe('backoff')
  reflector.wake()
  await believes({ a: '1' })
})

test('stop ends at once, in a list that hangs and in a watch', async () => {
  server.fault(/list/, 'hang')
  start()
  await until(() => server.requests.length).toBe(1)
  await reflector.stop()
  expect(reflector.status().state).toBe('stopped')
  start()
  await watching()
  await reflector.stop()
  await until(() => server.watches()).toBe(0)
})
