import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { cancelAction } from './cancel-action'
import { batchNow } from './batch'
import { CLUSTER_CONFIGURATION } from './kinds/skew'
import { markActionsSeen } from './mark-action-seen'
import { begin, beforeEngineTests, cluster, ctx, events, failure, operatorSays, row, stateOf } from './suites/engine'
import { write } from './suites/engine'
import { inSteps, STEPS } from './suites/kind'
import { stepOn } from './step-on'

beforeEngineTests()

const KUBECTL = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-patch' }
const manual = (ocpVersion: string): JsonObject => ({
  bootImageSkewEnforcement: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } },
})
const heard = () => markActionsSeen(cluster.id(), inSteps.kind)
const one = (more: object = {}) => begin({ steps: [STEPS[0]!], ...more })

describe('written over before it was taken up', () => {
  test('by another: who, and what it said then, at once; nothing is waited for any more', async () => {
    const batchId = crypto.randomUUID()
    const { id, state } = await one({ batchId })
    expect(state).toBe('accepted')
    await write(manual('4.14.0'), KUBECTL)
    await heard()
    expect(await row(id)).toMatchObject({
      state: 'overtaken',
      seenAt: null,
      error:
        'kubectl-patch changed it before the operator was seen to take it up. It said then: Manual, 4.14.0. Where that is not what you want, decide anew.',
    })
    expect(await events(id)).toEqual(['in-steps.decided ok', 'in-steps.accepted ok', 'in-steps.overtaken ok'])
    expect(await failure(cancelAction(ctx, { actionId: id }))).toMatchObject({ code: 'conflict' })
    expect(await batchNow(batchId)).toMatchObject([{ state: 'overtaken' }])
    // What comes later changes nothing of that.
    inSteps.shown = { answer: null, details: {} }
    await heard()
    expect(await stateOf(id)).toBe('overtaken')
  })

  test('taken away: who that was leaves no trace', async () => {
    const { id } = await one()
    await write({ bootImageSkewEnforcement: null }, KUBECTL)
    await heard()
    expect((await row(id)).error).toMatch(
      /^Somebody changed it before .* It said then: nothing about the age of boot images\./,
    )
  })

  test('the first of two steps, with both stored', async () => {
    const { id } = await begin()
    await operatorSays('Manual')
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await stateOf(id)).toBe('accepted')
    await write({ bootImageSkewEnforcement: null }, KUBECTL)
    await heard()
    expect(await stateOf(id)).toBe('overtaken')
  })

  test('what is written besides leaves it waiting, and so does a cluster that does not answer', async () => {
    const { id } = await one()
    await write({ logLevel: 'TraceAll' }, KUBECTL)
    await heard()
    expect(await stateOf(id)).toBe('accepted')
    await write(manual('4.14.0'), KUBECTL)
    cluster.server().faults.reset(true)
    await heard()
    cluster.server().faults.reset(false)
    expect(await stateOf(id)).toBe('accepted')
  })

  test('by a newer decision from here: its author is named', async () => {
    const { id } = await one()
    await db().openShiftAction.update({ where: { id }, data: { recordedAt: new Date(Date.now() - 60_000) } })
    const other = { ...STEPS[0]!, body: { spec: manual('4.15.0') } }
    const newer = await begin({ steps: [other] })
    expect(newer.state).toBe('accepted')
    expect(await row(id)).toMatchObject({
      state: 'overtaken',
      error: 'l.varga decided anew before the operator was seen to take it up. It said then: Manual, 4.15.0.',
    })
  })
})
