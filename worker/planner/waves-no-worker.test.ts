import { afterEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { expectHeld, expectReleased, failure, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, decisions, HOUR, row } from '@/testenv/timed'
import { op, placed, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const { at, place, round } = wavedCluster()
afterEach(async () => void (await db().clusterLease.deleteMany({})))

async function worker(runs: boolean): Promise<void> {
  const lease = { owner: 'w', fence: 1n, until: new Date(Date.now() + (runs ? HOUR : -HOUR)) }
  const { clusterId } = at
  await db().clusterLease.upsert({ where: { clusterId }, create: { clusterId, ...lease }, update: lease })
}

const keyOf = ({ change: { id: changeId, fingerprint } }: Held) => ({ changeId, fingerprint })

/** The second of two waves, open when a worker last looked. */
async function opened() {
  const [canary, next] = [await at.held(), await at.held()]
  await waved([canary, next], [{ name: 'canary' }, { name: 'next' }])
  const through = (state: string) =>
    db().change.update({ where: { id: canary.change.id }, data: { state, finishedAt: new Date(Date.now() - 1) } })
  await through('done')
  await place()
  expect(await placed(next)).toMatchObject({ state: 'open' })
  await worker(false)
  return { canary, next, through }
}

test('in a wave that was open when a worker last looked, nothing begins while none runs; it goes when one does', async () => {
  const { canary, next, through } = await opened()
  await db().change.update({ where: { id: canary.change.id }, data: { state: 'stuck', finishedAt: null } })
  const { state, error } = await approveChange(ada, inputFor(next))
  expect([state, error]).toEqual(['voided', expect.stringContaining('No worker of Drydock follows')])
  await expectHeld(next)
  expect(await row(next)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  await worker(true)
  await round()
  await expectHeld(next)
  await through('done')
  await round()
  await expectReleased(next, (await decisions(next)).at(-1)!.id)
})

test('what somebody would not have wait goes all the same', async () => {
  const { next } = await opened()
  await approveChange(ada, inputFor(next))
  await expectHeld(next)
  await overrideTimes(ada, { ...keyOf(next), reason: 'a hole' })
  await expectReleased(next, (await decisions(next)).at(-1)!.id)
})

test('what comes to a stopped run is held by that before it is placed, whatever somebody says', async () => {
  const [canary, next] = [await at.held(), await at.held()]
  const run = await waved([canary, next], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await stopWaves(op, run)
  await db().change.update({ where: { id: next.change.id }, data: { wave: Prisma.DbNull } })
  await approveChange(ada, inputFor(next))
  const { message } = await failure(overrideTimes(ada, { ...keyOf(next), reason: 'a hole' }))
  expect(message).toContain('; its waves were stopped by Op')
  await expectHeld(next)
  await resumeWaves(ada, { ...run, reason: 'fine' })
  await db().change.update({ where: { id: next.change.id }, data: { wave: Prisma.DbNull } })
  await overrideTimes(ada, { ...keyOf(next), reason: 'a hole' })
  await expectReleased(next, (await decisions(next)).at(-1)!.id)
})
