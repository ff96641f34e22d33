import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { ConsumerRun } from './consumers'
import { latchWatchConsumer } from './latch-watch'
import { plannerConsumer } from './planner'
import { POOL_RESOURCES } from './pools/objects'
import type { ClusterView, Consumer, ObjectChange } from './types'

const RESOURCE = 'machinedeployments.cluster.x-k8s.io'
const view = { clusterId: 'c', name: 'mc', fence: 1n } as ClusterView

function follow(more: Partial<Consumer> = {}, written: () => Promise<void> = () => Promise.resolve()) {
  const batches: ObjectChange[][] = []
  const forgotten: ClusterView[] = []
  const consumer: Consumer = {
    name: 'test',
    resources: [RESOURCE],
    onSynced: () => Promise.resolve(),
    onChanges: (_, changes) => Promise.resolve(void batches.push(changes)),
    forget: (which) => forgotten.push(which),
    ...more,
  }
  const run = new ConsumerRun(consumer, view, written, pino({ level: 'silent' }))
  return { run, batches, forgotten }
}

function change(type: ObjectChange['type'], uid: string, resourceVersion: string): ObjectChange {
  const metadata = { name: 'md', namespace: 'fleet', uid, resourceVersion, creationTimestamp: '' }
  return { type, resource: RESOURCE, key: 'fleet/md', object: { metadata } as KubeObject, heardAt: 1 }
}

test('an object made anew under its name is a deletion and then a new object, however fast', async () => {
  const { run, batches } = follow()
  run.begin(new Set([RESOURCE]), new Set([RESOURCE]))
  run.take(change('upsert', 'old', '1'))
  run.take(change('delete', 'old', '2'))
  run.take(change('upsert', 'new', '3'))
  run.take(change('upsert', 'new', '4'))
  await expect.poll(() => batches.length, { timeout: 5_000 }).toBe(1)
  expect(batches[0]!.map(({ type, object }) => [type, object.metadata.uid, object.metadata.resourceVersion])).toEqual([
    ['delete', 'old', '2'],
    ['upsert', 'new', '4'],
  ])
  run.stop()
})

test('a batch that waited for its rows while the cluster was given up is nobody’s any more', async () => {
  let write = (): void => {}
  let waits = false
  const written = () => (waits ? new Promise<void>((resolve) => (write = resolve)) : Promise.resolve())
  const { run, batches, forgotten } = follow({ onSynced: () => Promise.resolve(void (waits = true)) }, written)
  run.begin(new Set([RESOURCE]), new Set([RESOURCE]))
  const idle = write
  run.take(change('upsert', 'a', '1'))
  await expect.poll(() => write !== idle, { timeout: 5_000 }).toBe(true)
  run.stop()
  write()
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([])
  expect(forgotten).toEqual([view])
})

// Else a role without pools, on a cluster that serves them, would leave Cluster API's groups unplanned and unpaused.
test.each([plannerConsumer, latchWatchConsumer])('$name begins where pools may not be listed', async (consumer) => {
  let begun = false
  const { resources, optional } = consumer
  const { run } = follow({ resources, optional: optional ?? [], onSynced: () => Promise.resolve(void (begun = true)) })
  run.begin(new Set(resources), new Set(resources.filter((resource) => resource !== POOL_RESOURCES.pools)))
  await expect.poll(() => begun, { timeout: 5_000 }).toBe(true)
  run.stop()
})
