import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { startApplier } from '@/worker/applier'
import { RENEW_MS } from '../claim'
import { ServiceError } from '../errors'
import { applyAction } from './apply-action'
import { attemptStep } from './attempt-step'
import { batchNow, recordBatch } from './batch'
import { finishStep } from './finish-step'
import { CLUSTER_CONFIGURATION } from './kinds/skew'
import { markActionsSeen } from './mark-action-seen'
import { recordAction, recordAndApply } from './record-action'
import { retryAction } from './retry-action'
import { stepOn } from './step-on'
import { DRYDOCK } from '@/lib/providers/written-by'
import { begin, cluster, ctx, events, failure, generation, GITOPS, operatorSays, operatorWorks } from './suites/engine'
import { row, spec, stateOf, until, beforeEngineTests, wanted, write } from './suites/engine'
import { inSteps, NONE, STEPS } from './suites/kind'

beforeEngineTests()

const applier = (owner: string) => startApplier({ owner, intervalMs: 20, graceMs: 0, log: pino({ level: 'silent' }) })

describe('what dies in the middle', () => {
  test('an answer that is lost: retry reads first, and goes on without writing again', async () => {
    cluster.server().faults.reset(true)
    const lost = await begin().finally(() => cluster.server().faults.reset(false))
    expect(lost).toMatchObject({ state: 'failed', step: 0 })
    expect(lost.error).toContain('it is not known whether it took the change')
    expect(spec().bootImageSkewEnforcement).toMatchObject({ mode: 'Manual' })
    const stored = generation()
    const retried = await retryAction(ctx, { actionId: lost.id })
    expect(retried).toMatchObject({ state: 'waiting', step: 1, steps: [{ state: 'stored' }, { state: 'open' }] })
    expect(generation()).toBe(stored)
  })

  test('a cluster that cannot even be read: it is told that nothing was sent, and what waits waits on', async () => {
    const { id } = await begin()
    await db().openShiftAction.update({ where: { id }, data: { state: 'recorded', claimedUntil: null } })
    cluster.server().faults.reset(true)
    await applyAction(id, 'worker')
    expect(await stateOf(id)).toBe('waiting')
    cluster.server().faults.reset(false)
    await operatorSays('Manual')
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await stateOf(id)).toBe('accepted')
  })

  test('a lost answer is no excuse for what somebody else wrote besides', async () => {
    cluster.server().faults.reset(true)
    const lost = await begin().finally(() => cluster.server().faults.reset(false))
    await write({ logLevel: 'TraceAll' }, GITOPS)
    expect(await retryAction(ctx, { actionId: lost.id })).toMatchObject({ state: 'failed', conflict: true })
  })

  test('killed before the first step, between the steps, and after the second was sent: a worker carries it through once', async () => {
    const before = generation()
    const id = await recordAction(ctx, wanted())
    let worker = applier('first')
    await until(() => stateOf(id)).toBe('waiting')
    await worker.stop()
    await operatorSays('Manual')
    // The process that sent the second step died before it wrote that down.
    await write({ managedBootImages: NONE }, { ...GITOPS, fieldManager: DRYDOCK })
    await db().openShiftAction.update({
      where: { id },
      data: { state: 'applying', attempts: 1, claimedBy: 'dead', claimedUntil: new Date(Date.now() - 1000) },
    })
    worker = applier('second')
    await until(() => stateOf(id)).toBe('accepted')
    await worker.stop()
    expect(generation()).toBe(before + 2)
    expect(await events(id)).toEqual(['in-steps.decided ok', 'in-steps.step-stored ok', 'in-steps.accepted ok'])
  })

  test('nobody hears of the operator: the worker looks by itself', async () => {
    const { id } = await begin()
    await operatorSays('Manual')
    const worker = applier('looks')
    await until(() => stateOf(id)).toBe('accepted')
    await worker.stop()
  })

  test('two workers, the verb and the watch at once write each step once', async () => {
    const before = generation()
    const id = await recordAction(ctx, wanted())
    const workers = [applier('a'), applier('b')]
    await Promise.all([applyAction(id, 'verb'), stepOn(cluster.id(), CLUSTER_CONFIGURATION)])
    await until(() => stateOf(id)).toBe('waiting')
    await operatorSays('Manual')
    await Promise.all([1, 2, 3].map(() => stepOn(cluster.id(), CLUSTER_CONFIGURATION)))
    await until(() => stateOf(id)).toBe('accepted')
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(generation()).toBe(before + 2)
    expect(await events(id)).toEqual(['in-steps.decided ok', 'in-steps.step-stored ok', 'in-steps.accepted ok'])
  })

  test('whoever comes late with an answer, its claim run out, writes nothing down', async () => {
    const id = await recordAction(ctx, wanted())
    cluster.server().faults.slow(400)
    const late = applyAction(id, 'late')
    await until(() => stateOf(id)).toBe('applying')
    await db().openShiftAction.update({ where: { id }, data: { claimedBy: 'other' } })
    await late
    expect(await row(id)).toMatchObject({ state: 'applying', claimedBy: 'other', step: 0 })
  })

  test('nor where the other calls itself the same; the one that holds it says what happened', async () => {
    const id = await recordAction(ctx, wanted())
    const claim = { state: 'applying', claimedBy: 'applier:1', claimedUntil: new Date(Date.now() + 60_000) }
    const [late, holder] = await Promise.all(
      [1, 2].map(async (attempts) => {
        const { calls: _, ...shared } = await row(id)
        return { ...shared, ...claim, attempts, calls: [] } as Awaited<ReturnType<typeof row>>
      }),
    )
    await db().openShiftAction.update({ where: { id }, data: { ...claim, attempts: 2, calls: [] } })
    const stored = await attemptStep(holder!, inSteps)
    const conflict = await attemptStep(late!, inSteps)
    expect([stored.outcome, conflict.outcome]).toEqual(['stored', 'failed'])
    expect(await finishStep(late!, inSteps, ctx, conflict)).toBeNull()
    expect(await finishStep(holder!, inSteps, ctx, stored)).toBe('waiting')
    expect(await row(id)).toMatchObject({ state: 'waiting', step: 1, error: null })
  })

  test('a cluster that takes longer than a claim loses it to nobody', async () => {
    const id = await recordAction(ctx, wanted())
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    let letGo: () => void = () => undefined
    const held = new Promise<null>((resolve) => (letGo = () => resolve(null)))
    inSteps.still = () => held
    try {
      const slow = applyAction(id, 'slow')
      await until(() => stateOf(id)).toBe('applying')
      await db().openShiftAction.update({ where: { id }, data: { claimedUntil: new Date(Date.now() - 1) } })
      await vi.advanceTimersByTimeAsync(RENEW_MS)
      await until(async () => (await row(id)).claimedUntil!.getTime() > Date.now()).toBe(true)
      await applyAction(id, 'other')
      expect((await row(id)).attempts).toBe(1)
      letGo()
      await slow
      expect(await stateOf(id)).toBe('waiting')
    } finally {
      letGo()
      delete inSteps.still
      vi.useRealTimers()
    }
  })
})

describe('one at a time', () => {
  test('of several that are decided at once one goes, and the others are told', async () => {
    const all = await Promise.allSettled([1, 2, 3].map(() => begin()))
    const went = all.filter((one) => one.status === 'fulfilled')
    expect(went).toHaveLength(1)
    expect(went[0]!.value).toMatchObject({ state: 'waiting' })
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
    expect(await db().openShiftAction.count()).toBe(1)
  })

  test('in a batch each cluster has its own result', async () => {
    const batchId = '7d1f2a30-5b3e-4c1d-9a6e-0f1e2d3c4b5a'
    const nowhere = '00000000-0000-4000-8000-000000000009'
    const plan = (clusterId: string) =>
      clusterId === nowhere
        ? Promise.reject(new ServiceError('unavailable', 'The cluster does not answer.', { hint: 'Later.' }))
        : Promise.resolve(wanted())
    const results = await recordBatch(ctx, batchId, [nowhere, cluster.id(), nowhere], plan)
    expect(results).toMatchObject([
      { clusterId: nowhere, action: null, refused: { message: 'The cluster does not answer.', hint: 'Later.' } },
      { clusterId: cluster.id(), action: { state: 'waiting', batchId }, refused: null },
    ])
    expect(await batchNow(batchId)).toMatchObject([{ id: results[1]!.action!.id, state: 'waiting' }])
    const [event] = await db().auditEvent.findMany({
      where: { targetId: results[1]!.action!.id },
      orderBy: { id: 'asc' },
    })
    expect(event?.details).toMatchObject({ batch: batchId })
  })

  test('what goes wrong with one cluster of a batch loses nothing of the others', async () => {
    const broken = '00000000-0000-4000-8000-000000000008'
    const plan = (clusterId: string) =>
      clusterId === broken ? Promise.reject(new TypeError('cannot read')) : Promise.resolve(wanted())
    const batchId = '7d1f2a30-5b3e-4c1d-9a6e-0f1e2d3c4b5b'
    expect(await recordBatch(ctx, batchId, [broken, cluster.id()], plan)).toMatchObject([
      { action: null, refused: { message: 'Something in Drydock went wrong.' } },
      { action: { state: 'waiting' }, refused: null },
    ])
  })

  test('one that failed is not retried over another that is under way', async () => {
    const looked = wanted()
    await operatorWorks()
    const blind = { ...looked, looked: { resourceVersion: looked.looked.resourceVersion } }
    const failed = await recordAndApply(ctx, blind)
    const { id } = await begin()
    expect(await failure(retryAction(ctx, { actionId: failed.id }))).toMatchObject({ code: 'conflict' })
    expect(await stateOf(id)).toBe('waiting')
  })

  test('one that a newer one has overtaken is not seen afterwards', async () => {
    const one = await begin({ steps: [STEPS[0]!] })
    await db().openShiftAction.update({ where: { id: one.id }, data: { recordedAt: new Date(Date.now() - 60_000) } })
    await operatorSays('Manual')
    const two = await begin({ steps: [STEPS[1]!] })
    inSteps.shown = { answer: null, details: {} }
    await markActionsSeen(cluster.id(), inSteps.kind)
    expect([await stateOf(one.id), await stateOf(two.id)]).toEqual(['overtaken', 'seen'])
  })
})
