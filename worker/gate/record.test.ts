import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { GateLog, type GateRecord } from './record'

useTestDatabase()
const clusterId = randomUUID()
const failed: unknown[] = []

beforeAll(async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
})

async function written(records: Partial<GateRecord>[]): Promise<string[]> {
  const log = new GateLog((error) => failed.push(error))
  for (const record of records) log.add(clusterId, 'CanUpdateMachine', { answer: 'held', message: 'm', ...record })
  await log.flush()
  expect(failed).toEqual([])
  const rows = await db().gateCall.findMany({ orderBy: { id: 'asc' } })
  return rows.map((row) => `${row.group} ${row.machine ?? '-'} ${row.message} ${row.count}`)
}

test('the same answer in a row is one row with a count, another one a row of its own, in their order', async () => {
  const [a, b] = [
    { group: 'g', machine: 'a' },
    { group: 'g', machine: 'b' },
  ]
  await written([a, a, { ...b, message: 'one' }, { ...b, message: 'two' }, { group: 'g' }])
  expect(await written([a, { ...b, message: 'one' }, { group: 'g' }, { group: 'other' }])).toEqual([
    'g a m 3',
    'g b one 1',
    'g - m 2',
    'g b two 1',
    'g b one 1',
    'other - m 1',
  ])
})

test('a name that no database takes keeps nothing else from being written down', async () => {
  const rows = await written([
    { group: 'n\0', machine: 'x\0\ud800' },
    { group: 'n', machine: 'y' },
  ])
  expect(rows.slice(-2)).toEqual(['n x\ufffd m 1', 'n y m 1'])
})

test('while the database stands still, no more than one batch is kept beside the one that is being written', async () => {
  let goOn: () => void = () => undefined
  const stands = new Promise<void>((resolve) => (goOn = resolve))
  const real = pool().query.bind(pool()) as (...of: unknown[]) => Promise<unknown>
  const asked = vi.spyOn(pool(), 'query').mockImplementation((async (...of: unknown[]) => {
    await stands
    return real(...of)
  }) as unknown as typeof real)
  const log = new GateLog((error) => failed.push(error))
  const flushes: Promise<void>[] = []
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 700; i++)
      log.add(clusterId, 'CanUpdateMachine', { group: `s-${round}-${i}`, answer: 'held', message: 'm' })
    flushes.push(log.flush())
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1))
  }
  goOn()
  await Promise.all(flushes)
  vi.restoreAllMocks()
  expect(failed).toEqual([])
  expect(await db().gateCall.count({ where: { group: { startsWith: 's-' } } })).toBe(1_700)
})

test('a burst is one statement', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query')
  const log = new GateLog((error) => failed.push(error))
  for (let i = 0; i < 500; i++)
    log.add(clusterId, 'CanUpdateMachine', { group: `b-${i}`, answer: 'held', message: 'm' })
  await log.flush()
  const texts = statements.mock.calls.filter(([text]) => String(text).includes('gate_call'))
  vi.restoreAllMocks()
  expect(texts).toHaveLength(1)
  expect(await db().gateCall.count({ where: { group: { startsWith: 'b-' } } })).toBe(500)
})

test('workers that write down the same answers in another order keep each other from nothing', async () => {
  const groups = Array.from({ length: 400 }, (_one, i) => `w-${i}`)
  const write = async (of: readonly string[]) => {
    const log = new GateLog((error) => failed.push(error))
    for (const group of of) log.add(clusterId, 'CanUpdateMachine', { group, answer: 'held', message: 'm' })
    await log.flush()
  }
  await write(groups)
  for (let i = 0; i < 10; i++) await Promise.all([write(groups), write(groups.toReversed()), write(groups.toSorted())])
  expect(failed).toEqual([])
  const rows = await db().gateCall.findMany({ where: { group: { startsWith: 'w-' } } })
  expect(rows.map(({ count }) => count)).toEqual(groups.map(() => 31))
})
