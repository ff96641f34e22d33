import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { FROZEN, says } from '@/testenv/timed'
import * as midway from './midway'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, look, through, view } = datedCluster()

async function round(held: Dated, ms: number): Promise<void> {
  clockAt(held, ms)
  await look(held)
  await holdToTimes(await view())
}

const unreadable = () => db().rolloutPolicy.create({ data: { name: 'odd', spec: { approvals: 'many' } } })

test('frozen by a policy of which nobody knows whether it holds: held before its date, and keeps its approval', async () => {
  const held = await through()
  await says(held, FROZEN)
  const { id } = await unreadable()
  await round(held, -590_000)
  await round(held, 1_000)
  expect((await held.read()).metadata.annotations?.[HELD]).toContain('Stopped by Drydock: not now: ')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  // Known again, it is frozen; and goes by its approval when that ends.
  await db().rolloutPolicy.delete({ where: { id } })
  await goInTime(await view())
  expect(await isHeldNow(held)).toBe(true)
  await db().rolloutPolicy.deleteMany()
  await goInTime(await view())
  expect(await isHeldNow(held)).toBe(false)
})

test('policies go by labels, and those of its cluster are not known: held before its date', async () => {
  const held = await through()
  await says(held, FROZEN)
  const { id, spec } = await db().rolloutPolicy.findFirstOrThrow()
  const select = { labels: { env: 'prod' } }
  await db().rolloutPolicy.update({ where: { id }, data: { spec: { ...(spec as object), select } } })
  await db().workloadCluster.deleteMany({ where: { clusterId: at.clusterId } })
  await round(held, -590_000)
  expect(await isHeldNow(held)).toBe(true)
})

test('what moves already by its date is not stopped for that', async () => {
  const held = await through()
  await says(held, FROZEN)
  await unreadable()
  await look(held)
  clockAt(held, -590_000)
  const { id } = await look(held)
  await db().change.update({ where: { id }, data: { state: 'running' } })
  await holdToTimes(await view())
  expect(await isHeldNow(held)).toBe(false)
  expect(await newest(held)).toMatchObject({ id })
})

test('what is in the middle of something comes to its end first, as long as there is time for that', async () => {
  const held = await through()
  await says(held, FROZEN)
  await unreadable()
  const isMidway = vi.spyOn(midway, 'knownMidway').mockResolvedValue(true)
  try {
    await round(held, -590_000)
    expect(await isHeldNow(held)).toBe(false)
    await round(held, -290_000)
    expect(await isHeldNow(held)).toBe(true)
  } finally {
    isMidway.mockRestore()
  }
})
