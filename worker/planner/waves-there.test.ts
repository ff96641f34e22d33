import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { names, policy } from '@/testenv/canaries'
import { expectHeld, inputFor } from '@/testenv/deciding'
import { approveChange } from '@/lib/services/changes/approve-change'
import { ago } from '@/testenv/faring'
import { bo, row } from '@/testenv/timed'
import { settled } from '@/testenv/tried'
import { placed, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { round } = cluster

test('a canary of no machines that was let go has tried nothing: what comes after it waits for somebody', async () => {
  const [canary, next] = [await cluster.at.held(), await cluster.at.held()]
  const waves = [
    { name: 'canary', select: names(canary) },
    { name: 'next', select: names(next) },
  ]
  await policy({ select: names(canary, next), waves })
  await approveChange(bo, { ...inputFor(next), reason: 'x' })
  const none = { replicas: 0 }
  await db().change.update({
    where: { id: canary.change.id },
    data: { state: 'done', finishedAt: ago(5), outlook: none },
  })
  for (let i = 0; i < 3; i++) await round()
  const waits = { state: 'waits', needsPerson: true, why: expect.stringContaining('no machine is known to have begun') }
  expect(await placed(next)).toMatchObject(waits)
  await expectHeld(next)
}, 120_000)

test('a canary that was made with it, and of which no machine has ever been available, is no canary', async () => {
  const [canary, next] = [await cluster.running(), await cluster.slow()]
  const waves = [
    { name: 'canary', select: names(canary) },
    { name: 'next', select: names(next) },
  ]
  await policy({ select: names(canary, next), waves })
  // Made anew with that version: there never was a change of it, and its machines do not come up.
  await db().change.deleteMany({ where: { id: canary.change.id } })
  await settled(canary, { desiredReplicas: 3, replicas: 3, upToDateReplicas: 3, availableReplicas: 0 })
  await approveChange(bo, { ...inputFor(next), reason: 'x' })
  for (let i = 0; i < 3; i++) await round()
  expect({ at: (await placed(next)).state, state: (await row(next)).state }).toEqual({ at: 'waits', state: 'waiting' })
  await expectHeld(next)
}, 120_000)
