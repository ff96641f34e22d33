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

/** A control plane in the middle: the old machine is gone, and there is none in its place. */
async function replaced() {
  const { change, kind, name, namespace, read } = await at.held('KubeadmControlPlane')
  const { metadata, ...plane } = await read()
  const { 'cluster.x-k8s.io/paused': _, 'drydock.dev/held': __, ...annotations } = metadata.annotations ?? {}
  const spec = { ...plane.spec, replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } }
  const about = { id: change.id, groupId: change.groupId, groupKind: kind, groupName: name, namespace }
  return { name, about, object: { ...plane, metadata: { ...metadata, annotations }, spec } }
}

test('a control plane that is replaced is known to be, however many workers are asked about before it', async () => {
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { counts, asked, view } = await asking(200, () => answered)
  const { name, about, object } = await replaced()
  const { client } = view
  const get: typeof client.get = (...of) => (of[1] === name ? Promise.resolve(object) : client.get(...of))
  view.client = { ...client, get }
  expect(await knownMidway(view, about)).toBe(true)
  answer()
  await asked
  await vi.waitFor(() => expect(counts.now).toBe(0))
})

test('and however many control planes hang that are asked about with it', async () => {
  const { about, object } = await replaced()
  const view = await viewNow()
  let [answer, asked]: [() => void, number] = [() => undefined, 0]
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const get = () => (asked++ < 4 ? answered.then(() => object) : Promise.resolve(object))
  const busy = { ...view, client: { ...view.client, get } }
  const hang = [1, 2, 3, 4].map((i) => knownMidway(busy, { ...about, id: String(i) }))
  expect(await knownMidway(busy, about)).toBe(true)
  // What is not told in time is not waited for.
  expect(await Promise.all(hang)).toEqual([false, false, false, false])
  answer()
})
