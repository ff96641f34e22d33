import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeClient, WatchEvent } from '@/lib/kubernetes/types'
import type { Projector } from './project'
import type { StreamPlan } from './streams'
import { Watching } from './watching'

useTestDatabase()

const NAME = 'machines.cluster.x-k8s.io'
const plan: StreamPlan = {
  ...{ stream: NAME, name: NAME, keep: false, afterGroups: false },
  resource: { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' },
}
const clusterId = randomUUID()
const fence = { clusterId, owner: 'me', fence: 1n }

/** Rows are written, and what was gone at the first list is away. */
let written: Promise<void>
let pruned: Promise<void>
let bookmark: () => void
const client = {
  async *pages() {
    await Promise.resolve()
    yield { items: [], resourceVersion: '1' }
  },
  async *watch(_: unknown, __: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        bookmark = resolve
        signal.addEventListener('abort', () => resolve())
      })
      if (!signal.aborted) yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } }
    }
  },
} as unknown as KubeClient

let watching: Watching
let timer: NodeJS.Timeout
async function start(): Promise<void> {
  await db().managementCluster.create({ data: { id: clusterId, name: 'mc', server: 'https://127.0.0.1:1' } })
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now() + interval '1 hour')`,
    [clusterId],
  )
  const projector = { prune: () => pruned, flushed: () => written } as unknown as Projector
  const none = { failed: () => undefined, changed: () => undefined, ready: () => undefined }
  watching = new Watching({ ...none, name: 'mc', pool: pool(), fence, client, projector })
  await watching.follow([plan])
  timer = setInterval(() => void watching.report(), 200)
}
afterEach(async () => {
  vi.useRealTimers()
  clearInterval(timer)
  await watching.stop()
})

const read = () => db().stream.findFirst({ where: { clusterId } })
const seen = async () => (await read())?.seenUntil?.getTime() ?? 0
const until = (check: () => Promise<number>) => expect.poll(check, { timeout: 20_000, interval: 100 })
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 2_500))
const gate = () => {
  let open!: () => void
  return { shut: new Promise<void>((resolve) => (open = resolve)), open }
}

test('what happened is seen when its rows are written, not when it is heard; by the clock of the database', async () => {
  // This process is ten minutes ahead.
  vi.useFakeTimers({ now: Date.now() + 600_000, toFake: ['Date'], shouldAdvanceTime: true })
  const [prune, first] = [gate(), gate()]
  ;[pruned, written] = [prune.shut, first.shut]
  await start()
  await until(async () => ((await read())?.state === 'watching' ? 1 : 0)).toBe(1)
  prune.open()
  await aWhile()
  expect(await seen()).toBe(0)
  first.open()
  await until(seen).toBeGreaterThan(0)
  const before = await seen()
  const realNow = Date.now() - 600_000
  expect(before).toBeLessThan(realNow)
  expect(before).toBeGreaterThan(realNow - 60_000)
  const second = gate()
  written = second.shut
  bookmark()
  await aWhile()
  expect(await seen()).toBe(before)
  second.open()
  await until(seen).toBeGreaterThan(before)
})
