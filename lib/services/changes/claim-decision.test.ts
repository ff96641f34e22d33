import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { expectReleased, latchedCluster, recordedOnly, stateOf } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { startApplier } from '@/worker/applier'
import { RENEW_MS } from '../claim'
import { kubeClientFor } from '../clusters/connection'
import { applyDecision } from './apply'
import { claimDecision } from './claim-decision'

useTestDatabase()
const at = latchedCluster()

const row = (id: string) => db().decision.findUniqueOrThrow({ where: { id } })
const past = () => ({ claimedUntil: new Date(Date.now() - 1_000) })

/** The next calls of this method wait, each until it is let go: as it would be, or failing. */
async function holding(method: 'get' | 'patch') {
  const client = await kubeClientFor(at.clusterId)
  const real = client[method]
  const held: { go(): void; fail(error: Error): void }[] = []
  const waits = (...args: unknown[]): Promise<KubeObject> =>
    new Promise((resolve, reject) =>
      held.push({ go: () => resolve((real as (...all: unknown[]) => Promise<KubeObject>)(...args)), fail: reject }),
    )
  Object.assign(client, { [method]: waits })
  return { held, over: () => void Object.assign(client, { [method]: real }) }
}

test('whoever comes late with a failure fails nothing, though it calls itself the same as who has it by now', async () => {
  const held = await at.held()
  const id = await recordedOnly(held)
  const reads = await holding('get')
  const late = applyDecision(id, 'worker')
  await until('it to read', () => Promise.resolve(reads.held.length === 1), { every: 10 })
  reads.over()
  await db().decision.update({ where: { id }, data: past() })
  const writes = await holding('patch')
  const now = applyDecision(id, 'worker')
  await until('the other to write', () => Promise.resolve(writes.held.length === 1), { every: 10 })
  reads.held[0]!.fail(new KubeError(403, { message: 'no' } as never, 'GET'))
  await late
  expect(await row(id)).toMatchObject({ state: 'applying', error: null, attempts: 2 })
  expect(await stateOf(held)).toBe('approved')
  writes.over()
  writes.held[0]!.go()
  await now
  expect(await row(id)).toMatchObject({ state: 'accepted', error: null })
  await expectReleased(held, id)
})

test('who stood still between a claim and its reading goes on under no other name than its own', async () => {
  const id = await recordedOnly(await at.held())
  const read = db().decision.findUniqueOrThrow.bind(db().decision)
  let other: string | null | undefined
  const late = (async (args: never) => {
    await db().decision.update({ where: { id }, data: past() })
    other = (await claimDecision(id, 'worker'))?.claimedBy
    return read(args)
  }) as never
  const spy = vi.spyOn(db().decision, 'findUniqueOrThrow').mockImplementationOnce(late)
  const mine = await claimDecision(id, 'worker')
  spy.mockRestore()
  expect(await row(id)).toMatchObject({ claimedBy: other })
  expect(mine?.claimedBy).not.toBe(other)
})

test('a cluster that takes longer than a claim loses it to nobody', async () => {
  const held = await at.held()
  const id = await recordedOnly(held)
  const writes = await holding('patch')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const slow = applyDecision(id, 'worker')
    await until('it to write', () => Promise.resolve(writes.held.length === 1), { every: 10 })
    await db().decision.update({ where: { id }, data: past() })
    await vi.advanceTimersByTimeAsync(RENEW_MS)
    await until('the claim to be renewed', async () => (await row(id)).claimedUntil!.getTime() > Date.now())
    await applyDecision(id, 'other')
    expect((await row(id)).attempts).toBe(1)
    writes.over()
    writes.held[0]!.go()
    await slow
    expect(await row(id)).toMatchObject({ state: 'accepted', claimedUntil: null })
  } finally {
    vi.useRealTimers()
  }
})

test('a claim runs out by the clock of the database: neither who has it nor who looks for what is left goes by another one', async () => {
  const held = await at.held()
  const id = await recordedOnly(held)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
  const claim = await claimDecision(id, 'ahead').finally(() => vi.useRealTimers())
  expect(claim!.claimedUntil!.getTime()).toBeLessThan(Date.now() + 60_000)
  await db().decision.update({ where: { id }, data: past() })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 })
  const applier = startApplier({ owner: 'behind', intervalMs: 20 })
  try {
    await until('it to be taken up', async () => (await row(id)).state === 'accepted')
  } finally {
    vi.useRealTimers()
    await applier.stop()
  }
})
