import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { timedCluster } from '@/testenv/timed'
import { knownMidway } from './midway'

useTestDatabase()
const { at, view: viewNow } = timedCluster()

/** Of so many changes of one group, each is asked about; what is read is counted. */
async function asking(many: number, wait: () => Promise<void>) {
  const { change, name, namespace, kind, read } = await at.held()
  // Let go: of what is held already nothing is read.
  const group = await read()
  const { 'cluster.x-k8s.io/paused': _, 'drydock.dev/held': __, ...annotations } = group.metadata.annotations ?? {}
  const letGo = { ...group, metadata: { ...group.metadata, annotations } }
  expect(await db().group.count({ where: { id: change.groupId } })).toBe(1)
  const view = await viewNow()
  const counts = { now: 0, most: 0, all: 0 }
  const get: typeof view.client.get = async () => {
    counts.all += 1
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
    await wait()
    counts.now -= 1
    return letGo
  }
  const about = { groupId: change.groupId, groupKind: kind, groupName: name, namespace }
  const busy: typeof view = { ...view, client: { ...view.client, get } }
  const asked = Array.from({ length: many }, (_one, i) => knownMidway(busy, { id: String(i), ...about }))
  return { counts, asked: Promise.all(asked), view: busy }
}

test('of many that are to be held, a few at once are read, and all are known', async () => {
  const { counts, asked } = await asking(14, () => new Promise((resolve) => setImmediate(resolve)))
  expect((await asked).some((is) => is)).toBe(false)
  expect(counts).toMatchObject({ now: 0, most: 12, all: 14 })
})

test('while the API server answers nothing, no hold waits longer than for one, and what got no turn asks nothing', async () => {
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const before = performance.now()
  const { counts, asked } = await asking(200, () => answered)
  expect(await asked).toEqual(Array.from({ length: 200 }, () => false))
  expect(performance.now() - before).toBeLessThan(10_000)
  answer()
  await vi.waitFor(() => expect(counts.now).toBe(0))
  expect(counts).toMatchObject({ most: 12, all: 12 })
})

test('a control plane that is replaced is known to be, however many workers are asked about before it', async () => {
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { counts, asked, view } = await asking(200, () => answered)
  const { change, kind, name, namespace, read } = await at.held('KubeadmControlPlane')
  const { metadata, ...plane } = await read()
  const { 'cluster.x-k8s.io/paused': _, 'drydock.dev/held': __, ...annotations } = metadata.annotations ?? {}
  // The old machine is gone, and there is none in its place.
  const spec = { ...plane.spec, replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } }
  const { client } = view
  const get: typeof client.get = (...of) =>
    of[1] === name ? Promise.resolve({ ...plane, metadata: { ...metadata, annotations }, spec }) : client.get(...of)
  view.client = { ...client, get }
  const about = { id: change.id, groupId: change.groupId, groupKind: kind, groupName: name, namespace }
  expect(await knownMidway(view, about)).toBe(true)
  answer()
  await asked
  await vi.waitFor(() => expect(counts.now).toBe(0))
})
