import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { UNKNOWN_KEPT, writeUnknownErrors } from '@/lib/db/read-model/unknown-errors'
import { useTestDatabase } from '@/lib/db/testing'
import type { UnknownError } from '@/lib/domain/errors'
import { condition, machine, machineConditions } from '@/lib/providers/cluster-api/testing/objects'
import { unknownErrors } from '@/lib/services/machines/unknown-errors'
import { Projector } from './project'

useTestDatabase()
const MACHINES = 'machines.cluster.x-k8s.io'
const ctx = { actor: { kind: 'cli' as const, id: 'cli:t', name: 't', role: 'viewer' as const } }

let clusterId: string
const failures: unknown[] = []
beforeEach(async () => {
  failures.length = 0
  await pool().query('DELETE FROM unknown_error')
  clusterId = randomUUID()
  await pool().query(`INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, 'https://127.0.0.1:1')`, [
    clusterId,
    `mc-${clusterId}`,
  ])
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now() + interval '1 hour')`,
    [clusterId],
  )
})

const projector = () =>
  new Projector({
    pool: pool(),
    fence: { clusterId, owner: 'me', fence: 1n },
    name: 'mc',
    intervalMs: 10,
    unknownMs: 10,
    lost: () => failures.push('lost'),
    failed: (error) => failures.push(error),
  })

/** A machine that failed with these words; without words it runs. */
function failed(name: string, message: string | null, uid: string = randomUUID()) {
  const object = machine({
    name,
    ...(message && {
      phase: 'Failed',
      status: { deprecated: { v1beta1: { failureReason: 'Odd', failureMessage: message } } },
    }),
  })
  object.metadata.uid = uid
  return object
}
async function hear(worker: Projector, ...objects: ReturnType<typeof machine>[]): Promise<void> {
  for (const object of objects) await worker.upsert(MACHINES, false, object, Date.now())
  await worker.flushed()
  await worker.counted()
}

test('machines that fail in the same way are one error, counted once each however often they are heard of', async () => {
  const worker = projector()
  const [a, b] = [failed('w-aaa', 'w-aaa lost disk 1'), failed('w-bbb', 'w-bbb lost disk 22')]
  await hear(worker, a, b)
  await hear(worker, a, a, b)
  expect(await unknownErrors(ctx)).toMatchObject([
    { provider: 'DevMachine', condition: 'Failure', reason: 'Odd', message: '… lost disk #', count: 2 },
  ])
  // Another error of the same machine is another one; back to the first it is one more.
  await hear(worker, failed('w-aaa', 'fell over', a.metadata.uid))
  await hear(worker, a)
  expect((await unknownErrors(ctx)).map(({ message, count }) => [message, count])).toEqual([
    ['… lost disk #', 3],
    ['fell over', 1],
  ])
  expect(failures).toEqual([])
  worker.stop()
})

test('a worker that comes after counts nothing again', async () => {
  const object = failed('w-aaa', 'lost disk 1')
  const first = projector()
  await hear(first, object)
  first.stop()
  const second = projector()
  await hear(second, object, failed('w-bbb', 'lost disk 2'))
  expect(await unknownErrors(ctx)).toMatchObject([{ message: 'lost disk #', count: 2 }])
  second.stop()
})

test('what is known is not counted and has its words in the row; one that recovers has none', async () => {
  const worker = projector()
  const object = machine({
    name: 'w',
    phase: 'Updating',
    conditions: machineConditions(
      condition('Updating', 'True', 'InPlaceUpdateFailed', 'In-place update not possible: InfraMachine not found'),
    ),
  })
  object.metadata.uid = randomUUID()
  await hear(worker, object)
  const row = async () =>
    (await pool().query('SELECT error, trouble, trouble_words FROM machine WHERE id = $1', [object.metadata.uid]))
      .rows[0]
  expect(await row()).toEqual({
    error: 'In-place update not possible: InfraMachine not found',
    trouble: 'in-place-no-infrastructure',
    trouble_words: 'its infrastructure machine is gone, so it cannot be updated in place',
  })
  await hear(worker, failed('w', null, object.metadata.uid))
  expect(await row()).toEqual({ error: null, trouble: null, trouble_words: null })
  expect(await unknownErrors(ctx)).toEqual([])
  worker.stop()
})

test('a database that takes no such row holds up no machine', async () => {
  const broken = new Proxy(pool(), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as (...args: unknown[]) => unknown
      return (...args: unknown[]) =>
        String(args[0]).includes('unknown_error') ? Promise.reject(new Error('no')) : call(...args)
    },
  })
  const worker = new Projector({
    ...{ pool: broken, fence: { clusterId, owner: 'me', fence: 1n }, name: 'mc', intervalMs: 10, unknownMs: 10 },
    lost: () => failures.push('lost'),
    failed: (error) => failures.push(error),
  })
  const object = failed('w', 'fell over')
  await worker.upsert(MACHINES, false, object, Date.now())
  await worker.flushed()
  expect((await pool().query('SELECT error FROM machine WHERE id = $1', [object.metadata.uid])).rows).toEqual([
    { error: 'Odd: fell over' },
  ])
  expect(failures).toEqual([])
  worker.stop()
})

const odd = (message: string): UnknownError => ({
  ...{ provider: 'AWSMachine', condition: 'Failure', reason: 'Odd', message },
  example: `${message} \u0000 "quoted" {and} \\ more`,
})

test('only so many are kept, and the least recent go', async () => {
  const word = (i: number) =>
    `error ${'abcdefghij'[i % 10]}${'abcdefghij'[Math.floor(i / 10) % 10]}${'abcdefghij'[Math.floor(i / 100)]}`
  const many = Array.from({ length: UNKNOWN_KEPT }, (_, i) => ({ ...odd(word(i)), count: 1 }))
  await writeUnknownErrors(pool(), many)
  await pool().query(`UPDATE unknown_error SET last_seen = now() - interval '1 hour' WHERE message = $1`, [word(7)])
  await writeUnknownErrors(pool(), [{ ...odd('newest'), count: 1 }])
  const kept = (await unknownErrors(ctx)).map((error) => error.message)
  expect(kept).toHaveLength(UNKNOWN_KEPT)
  expect(kept).toContain('newest')
  expect(kept).not.toContain(word(7))
})

test('two workers that write the same errors at once lose no count', async () => {
  const errors = ['a', 'b', 'c', 'd'].map((word) => ({ ...odd(word), count: 1 }))
  await Promise.all(
    Array.from({ length: 12 }, (_, i) => writeUnknownErrors(pool(), i % 2 ? errors : [...errors].reverse())),
  )
  expect((await unknownErrors(ctx)).map((error) => error.count)).toEqual([12, 12, 12, 12])
})
