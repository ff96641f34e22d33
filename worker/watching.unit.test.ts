import { afterEach, expect, test, vi } from 'vitest'
import { KubeError, type KubeClient, type WatchEvent } from '@/lib/kubernetes/types'
import type { Projector } from './project'
import type { StreamPlan } from './streams'
import { Watching } from './watching'

const NAME = 'machineosconfigs.machineconfiguration.openshift.io'
const plan: StreamPlan = {
  ...{ stream: NAME, name: NAME, keep: true, afterGroups: false },
  resource: { group: 'machineconfiguration.openshift.io', version: 'v1', plural: 'machineosconfigs' },
}

/** What the API server answers; 0: the list, and a watch that stays open until it ends with `end`. */
let code = 0
let end: () => void
let failures = 0
const answer = (call: string): void => {
  if (code > 0) failures++
  if (code > 0) throw new KubeError(code, { kind: 'Status', code, message: `HTTP ${code}` }, call)
}
const client = {
  async *pages() {
    await Promise.resolve()
    answer('LIST')
    yield { items: [], resourceVersion: '1' }
  },
  async *watch(_: unknown, __: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    answer('WATCH')
    await new Promise<void>((resolve) => {
      end = resolve
      signal.addEventListener('abort', () => resolve())
    })
    answer('WATCH')
    yield* []
  },
} as unknown as KubeClient

let watching: Watching
async function start(first: number): Promise<void> {
  code = first
  failures = 0
  const projector = { prune: () => Promise.resolve(), objects: () => new Map() } as unknown as Projector
  const none = { pool: null as never, fence: null as never, name: 'tidal', failed: () => undefined }
  watching = new Watching({ ...none, client, projector, changed: () => undefined, ready: () => undefined })
  await watching.follow([plan])
}
afterEach(async () => {
  vi.useRealTimers()
  await watching.stop()
})

const both = () => [watching.heard(NAME), watching.heardNow(NAME)]
const until = (what: string[]) =>
  expect.poll(() => (watching.wake(), both()), { timeout: 20_000, interval: 5 }).toEqual(what)
/** It was asked for so often, in vain. */
const failed = (times: number) =>
  expect.poll(() => (watching.wake(), failures), { timeout: 20_000, interval: 5 }).toBeGreaterThanOrEqual(times)

test.each([
  [503, 'open'],
  [429, 'open'],
  [403, 'refused'],
  [404, 'refused'],
])('a first list that fails with %i is %s, also while it is asked for again', async (first, heard) => {
  await start(first)
  await failed(3)
  expect(both()).toEqual([heard, heard])
  code = 0
  await until(['listed', 'listed'])
})

test('what is waited for in vain is not known, and no trouble of a moment any more', async () => {
  await start(503)
  await until(['open', 'open'])
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
  expect(both()).toEqual(['refused', 'refused'])
})

test('listed, and not followed any more: that it was listed stays, what it is now is open, or refused', async () => {
  await start(0)
  await until(['listed', 'listed'])
  for (const [failure, now] of [
    [503, 'open'],
    [403, 'refused'],
    [404, 'refused'],
  ] as const) {
    code = failure
    end()
    await until(['listed', now])
    code = 0
    await until(['listed', 'listed'])
  }
  expect(watching.heardNow('nodes')).toBe('unserved')
})

test('of a resource that is watched in parts, one is told by the name of its stream', async () => {
  await start(0)
  const resource = { group: '', version: 'v1', plural: 'configmaps' }
  await watching.follow([plan, { ...plan, stream: 'configmaps/a', name: 'configmaps', resource }])
  await expect.poll(() => watching.heard('configmaps/a'), { timeout: 20_000, interval: 5 }).toBe('listed')
  code = 403
  const [a, b] = ['configmaps/a', 'configmaps/b'].map((stream) => ({ ...plan, stream, name: 'configmaps', resource }))
  await watching.follow([plan, a!, b!])
  const heard = () => ['configmaps', 'configmaps/a', 'configmaps/b', 'configmaps/c'].map((name) => watching.heard(name))
  await expect.poll(heard, { timeout: 20_000, interval: 5 }).toEqual(['refused', 'listed', 'refused', 'unserved'])
})

/** What is silent after so many seconds more. */
const after = (seconds: number) => {
  vi.useFakeTimers({ now: Date.now() + seconds * 1000, toFake: ['Date'] })
  const silent = [...watching.silent()]
  vi.useRealTimers()
  return silent
}

test.each([
  [403, true],
  [404, true],
  [401, false],
  [503, false],
])('of all watches that answer %i it is told that they are silent: %s', async (failure, isSilent) => {
  await start(0)
  await until(['listed', 'listed'])
  expect(after(60)).toEqual([])
  code = failure
  end()
  await failed(2)
  expect(after(10), 'a hiccup').toEqual([])
  expect(after(30)).toEqual(isSilent ? [[NAME, { message: `HTTP ${failure}`, isListed: true }]] : [])
  // Where nobody answers any more either, it is still not heard.
  if (isSilent) code = 503
  if (isSilent) await failed(failures + 2)
  expect(after(40).map(([stream]) => stream)).toEqual(isSilent ? [NAME] : [])
  code = 0
  await expect.poll(() => (watching.wake(), after(60)), { timeout: 20_000, interval: 5 }).toEqual([])
})

test('one that fails while others go on is told of once it has failed for longer than it takes to ask again', async () => {
  await start(0)
  const other = { ...plan, stream: 'nodes', name: 'nodes', resource: { group: '', version: 'v1', plural: 'nodes' } }
  await watching.follow([plan, other])
  await until(['listed', 'listed'])
  await expect.poll(() => watching.heardNow('nodes'), { timeout: 20_000, interval: 5 }).toBe('listed')
  code = 503
  // Of the two watches that are open, the one that was opened last.
  end()
  await failed(2)
  expect(after(30)).toEqual([])
  expect(after(70)).toMatchObject([['nodes', { message: 'HTTP 503' }]])
})
