import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { objects } from '@/lib/providers/openshift/testing/samples'
import { openShiftResources } from '@/sandbox/openshift'
import { halfwayNeeds } from '../fleet/halfway'
import { actionDto } from './action-row'
import { applyAction } from './apply-action'
import { cancelAction } from './cancel-action'
import { CLUSTER_CONFIGURATION } from './kinds/skew'
import { previewCancel } from './preview-cancel'
import { previewGoOn } from './preview-go-on'
import { recordAction } from './record-action'
import { retryAction } from './retry-action'
import { stepOn } from './step-on'
import { underWayOn } from './under-way'
import {
  begin,
  beforeEngineTests,
  cluster,
  ctx,
  failure,
  GITOPS,
  live,
  operatorSays,
  row,
  spec,
  wanted,
  write,
} from './suites/engine'
import { ALL, inSteps, NONE } from './suites/kind'

beforeEngineTests()

/** The first step is stored, and of the second no answer comes; `arrives`: it was stored all the same. */
async function secondLost(arrives: boolean): Promise<string> {
  const { id } = await begin()
  await operatorSays('Manual')
  const { faults } = cluster.server()
  inSteps.still = () => {
    if (arrives) faults.reset(true)
    else faults.fail(503)
    return Promise.resolve(null)
  }
  await stepOn(cluster.id(), CLUSTER_CONFIGURATION).finally(() => {
    delete inSteps.still
    faults.reset(false)
    faults.fail(0)
  })
  const failed = actionDto(await row(id))
  expect(failed).toMatchObject({ state: 'failed', step: 1 })
  expect(failed.steps.map(({ unsure }) => unsure)).toEqual([undefined, true])
  return id
}

async function goBack(actionId: string) {
  const { resourceVersion, generation, uid, ...looked } = await previewCancel(ctx, { actionId })
  const anew = { resourceVersion, generation: generation ?? undefined, uid }
  return { looked, done: await cancelAction(ctx, { actionId, takeBack: true, ...anew }) }
}

test('a second write whose answer was lost is taken back with the first', async () => {
  const id = await secondLost(true)
  expect(spec().managedBootImages).toEqual(NONE)
  expect(await failure(cancelAction(ctx, { actionId: id, takeBack: true }))).toMatchObject({ code: 'invalid' })
  const { looked, done } = await goBack(id)
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null, managedBootImages: ALL })
  expect(done).toMatchObject({
    state: 'cancelled',
    error: 'Cancelled: of its 2 steps 2 were stored, and are taken back.',
    steps: [{ state: 'stored' }, { state: 'stored', at: null }, { state: 'stored' }],
  })
  expect(spec().managedBootImages).toEqual(ALL)
  expect(spec().bootImageSkewEnforcement).toBeUndefined()
  const event = await db().auditEvent.findFirstOrThrow({ where: { targetId: id, action: 'in-steps.take-back' } })
  expect(event.details).toEqual({ stored: 2, steps: 2 })
})

test('one that did not get through is not, and the first is', async () => {
  const { looked, done } = await goBack(await secondLost(false))
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null })
  expect(done.error).toBe('Cancelled: of its 2 steps 1 was stored, and is taken back.')
  expect(done.steps.map((step) => step.state)).toEqual(['stored', 'left', 'stored'])
  expect(spec().managedBootImages).toEqual(ALL)
})

test('of an older Drydock’s there is no way back from it', async () => {
  const id = await secondLost(true)
  const steps = (await row(id)).steps as unknown as { back?: unknown }[]
  delete steps[1]!.back
  await db().openShiftAction.update({ where: { id }, data: { steps: steps as never } })
  expect(await failure(previewCancel(ctx, { actionId: id }))).toMatchObject({ code: 'invalid' })
})

test('left as it stands, the page does not say that it was not made', async () => {
  const id = await secondLost(true)
  const left = await cancelAction(ctx, { actionId: id })
  expect(left.error).toContain('Whether its last step is stored is not known')
  expect(left.steps[1]).toMatchObject({ state: 'left', unsure: true })
})

test('going back that came after somebody else’s change is made anew, for the object as it is', async () => {
  const { id } = await begin()
  await write({ logLevel: 'Debug' }, GITOPS)
  await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
  const refused = await cancelAction(ctx, { actionId: id, takeBack: true })
  expect(refused).toMatchObject({ state: 'failed', conflict: true, back: { label: 'Let the operator decide' } })
  expect(refused.goesOn).toBe(true)
  const ways = 'Go on, go back, or leave it as it stands'
  expect((await underWayOn(cluster.id(), CLUSTER_CONFIGURATION, 'it'))?.hint).toBe(`${ways} first.`)
  expect((await halfwayNeeds({}))[0]?.detail).toBe(`${ways}: that is to be decided.`)
  const { looked, done } = await goBack(id)
  expect(looked.label).toBe('Let the operator decide')
  expect(done).toMatchObject({
    state: 'cancelled',
    error: 'Cancelled: of its 2 steps 1 was stored, and is taken back.',
    steps: [{ state: 'stored' }, { state: 'left' }, { state: 'left' }, { state: 'stored' }],
  })
  expect(spec()).toMatchObject({ logLevel: 'Debug', managedBootImages: ALL })
  expect(spec().bootImageSkewEnforcement).toBeUndefined()
})

test('a try that sent nothing gives its number back, and no other one’s: an answer to that says nothing of the next', async () => {
  const { faults } = cluster.server()
  const id = await recordAction(ctx, wanted())
  try {
    faults.fail(403)
    await applyAction(id, 'late')
    expect(await row(id)).toMatchObject({ state: 'failed', attempts: 1 })
    const tried = async () => actionDto(await row(id)).steps[0]!.tried!
    const first = await tried()
    faults.fail(503)
    await retryAction(ctx, { actionId: id })
    expect(await row(id)).toMatchObject({ state: 'failed', attempts: 1 })
    expect((await tried()) > first).toBe(true)
  } finally {
    faults.fail(0)
  }
  expect((await retryAction(ctx, { actionId: id })).steps[0]).not.toHaveProperty('tried')
  expect((await row(id)).calls).toEqual([
    expect.objectContaining({ attempt: 1, code: 403 }),
    expect.objectContaining({ attempt: 2, code: 200 }),
  ])
})

/** No answer comes to the first step; `arrives`: it was stored all the same. */
async function firstLost(arrives: boolean): Promise<string> {
  const { faults } = cluster.server()
  if (arrives) faults.reset(true)
  else faults.fail(503)
  const failed = await begin().finally(() => {
    faults.reset(false)
    faults.fail(0)
  })
  expect(failed).toMatchObject({ state: 'failed', step: 0, back: { label: 'Let the operator decide' } })
  return failed.id
}

test('a first write whose answer was lost is taken back, or gone on from', async () => {
  const id = await firstLost(true)
  expect(await failure(cancelAction(ctx, { actionId: id, takeBack: true }))).toMatchObject({ code: 'invalid' })
  const { looked, done } = await goBack(id)
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null })
  expect(done).toMatchObject({
    state: 'cancelled',
    error: 'Cancelled: of its 2 steps 1 was stored, and is taken back.',
    steps: [{ state: 'stored' }, { state: 'left' }, { state: 'stored' }],
  })
  expect(spec().bootImageSkewEnforcement).toBeUndefined()
  await operatorSays('Automatic')
  expect(await retryAction(ctx, { actionId: await firstLost(true) })).toMatchObject({ state: 'waiting', step: 1 })
})

test('going back says the verdict that follows, and that it may be old where the cluster is not heard', async () => {
  const { evidence } = skewRows(objects('automatic'), true)
  const card = {
    ...{ version: '4.22.4', platform: 'GCP', skewSupported: true, availability: 'enforced', verdict: 'ok' },
    ...{ floorOcp: '4.13.0', floorRhel: '9.2', sentence: '', managed: {}, conditions: [] },
  }
  await db().openShiftCluster.create({
    data: { clusterId: cluster.id(), ...card, evidence: JSON.parse(JSON.stringify(evidence)) as JsonObject },
  })
  const actionId = await firstLost(true)
  const { follows, warnings } = await previewCancel(ctx, { actionId })
  expect(follows.join(' ')).toMatch(/Automatic/)
  expect(warnings).toEqual([])
  await db().openShiftCluster.updateMany({ data: { unheardWhy: 'Its MachineSets cannot be read: no.' } })
  expect((await previewCancel(ctx, { actionId })).warnings).toEqual([expect.stringMatching(/old\. Its MachineSets/)])
  await db().openShiftCluster.deleteMany()
})

test('where the first did not get through there is nothing to take back', async () => {
  const id = await firstLost(false)
  expect(await failure(previewCancel(ctx, { actionId: id }))).toMatchObject({
    code: 'invalid',
    message: 'Nothing of it is there, so there is nothing to take back.',
  })
})

test('somebody else’s change after a lost answer: it is not said that nothing was changed, and the way back is there', async () => {
  const id = await firstLost(true)
  await write({ logLevel: 'Trace' }, GITOPS)
  const again = await retryAction(ctx, { actionId: id })
  expect(again).toMatchObject({ state: 'failed', conflict: true, back: { label: 'Let the operator decide' } })
  expect(again.error).toContain('Whether an earlier try was stored is not known: look again and decide again.')
  expect(again.error).toContain('It then said: Manual, 4.16.0')
  expect((await goBack(id)).done.state).toBe('cancelled')
  expect(spec().bootImageSkewEnforcement).toBeUndefined()
  expect(spec()).toMatchObject({ logLevel: 'Trace' })
})

test('of two steps whose second was lost it is not said that no more is stored', async () => {
  const id = await secondLost(true)
  const said = 'Of its 2 steps 1 was stored, and whether one more was is not known'
  expect((await halfwayNeeds({}))[0]?.sentence).toContain(said)
  await write({ logLevel: 'TraceAll' }, GITOPS)
  expect((await retryAction(ctx, { actionId: id })).error).toContain(said)
  expect((await cancelAction(ctx, { actionId: id })).error).not.toContain('Of its')
})

test('a second write that lands while the first is being taken back is taken back as well', async () => {
  const id = await secondLost(false)
  const { resourceVersion, generation, uid } = await previewCancel(ctx, { actionId: id })
  await write({ managedBootImages: NONE })
  const anew = { resourceVersion, generation: generation ?? undefined, uid }
  const refused = await cancelAction(ctx, { actionId: id, takeBack: true, ...anew })
  // What the object shows was not looked at: from there it goes back, and not on.
  expect(refused).toMatchObject({ state: 'failed', conflict: true, goesOn: false })
  expect((await halfwayNeeds({}))[0]?.detail).toMatch(/^Go back, or leave/)
  expect(await failure(previewGoOn(ctx, { actionId: id }))).toMatchObject({ code: 'invalid' })
  const { looked, done } = await goBack(id)
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null, managedBootImages: ALL })
  expect(done.error).toBe('Cancelled: of its 2 steps 2 were stored, and are taken back.')
  expect(spec().managedBootImages).toEqual(ALL)
})

/** The API server answers the second step with success, and stores this for it. */
async function secondStoredAs(managedBootImages: JsonObject, unsure?: true): Promise<string> {
  const [resource] = openShiftResources()
  const { id } = await begin()
  await operatorSays('Manual')
  const changes = (object: { spec?: JsonObject }) =>
    JSON.stringify(object.spec?.managedBootImages).includes('"None"')
      ? { ...object, spec: { ...object.spec, managedBootImages } }
      : object
  cluster.server().register({ ...resource!, mutate: changes as never })
  try {
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
  } finally {
    cluster.server().register(resource!)
  }
  expect(actionDto(await row(id))).toMatchObject({ state: 'failed', step: 1 })
  expect(actionDto(await row(id)).steps[1]?.unsure).toBe(unsure)
  return id
}

test('a step of which the cluster stored a part is taken back with what was before', async () => {
  const id = await secondStoredAs({}, true)
  expect((await row(id)).error).toContain('stored something else than was sent as spec.managedBootImages')
  const { looked, done } = await goBack(id)
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null, managedBootImages: ALL })
  expect(done.state).toBe('cancelled')
  expect(spec().managedBootImages).toEqual(ALL)
})

test('what somebody else wrote after a step of which nothing was stored is theirs, and stays', async () => {
  const id = await secondStoredAs(ALL)
  expect((await row(id)).error).toContain('did not store the change')
  expect((await halfwayNeeds({}))[0]?.sentence).toContain('Of its 2 steps 1 was stored, and no more.')
  const theirs = { machineManagers: [] }
  await write({ managedBootImages: theirs }, GITOPS)
  const { looked, done } = await goBack(id)
  expect(looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null })
  expect(done.error).toBe('Cancelled: of its 2 steps 1 was stored, and is taken back.')
  expect(spec().managedBootImages).toEqual(theirs)
})

test('nor is it taken for a part of ours where the answer of then does not say what it was of', async () => {
  const id = await secondStoredAs({}, true)
  const calls = (await row(id)).calls as unknown as { generation?: number }[]
  for (const call of calls) delete call.generation
  await db().openShiftAction.update({ where: { id }, data: { calls: calls as never } })
  expect((await goBack(id)).looked.call.body.spec).toEqual({ bootImageSkewEnforcement: null })
})

test('what was stored without an answer is found on the object by itself, and nothing is sent for it', async () => {
  const id = await secondLost(true)
  const { resourceVersion } = live().metadata
  await applyAction(id, 'applier')
  expect(actionDto(await row(id))).toMatchObject({ state: 'accepted', error: null, steps: [{}, { state: 'stored' }] })
  expect(live().metadata.resourceVersion).toBe(resourceVersion)
})

test('what did not get through, or was written over, is not sent by itself, and looked for until others wrote', async () => {
  const id = await secondLost(false)
  const looks = async () => {
    await applyAction(id, 'applier')
    const { state, claimedUntil } = await row(id)
    return [state, claimedUntil !== null]
  }
  expect(await looks()).toEqual(['failed', true])
  expect(spec().managedBootImages).toEqual(ALL)
  await write({ logLevel: 'Debug' }, GITOPS)
  await write({ logLevel: 'Normal' }, GITOPS)
  expect(await looks()).toEqual(['failed', false])
})

test('what did not get through is looked for no longer than a day', async () => {
  const id = await secondLost(false)
  await applyAction(id, 'applier')
  expect((await row(id)).claimedUntil).not.toBeNull()
  const [first, second] = (await row(id)).steps as unknown as { tried?: string }[]
  const steps = [first, { ...second, tried: new Date(Date.now() - 25 * 3_600_000).toISOString() }]
  await db().openShiftAction.update({ where: { id }, data: { steps: steps as never } })
  await applyAction(id, 'applier')
  expect(await row(id)).toMatchObject({ state: 'failed', claimedUntil: null })
})

test('one of an older version, which did not write down when it failed, is looked for by the time of its call', async () => {
  const id = await secondLost(false)
  const [first, { tried: _, ...second }] = (await row(id)).steps as unknown as [object, { tried?: string }]
  await db().openShiftAction.update({ where: { id }, data: { steps: [first, second] as never } })
  await applyAction(id, 'applier')
  expect((await row(id)).claimedUntil).not.toBeNull()
})

test('the same written by somebody else is not taken for what was sent, neither by itself nor for a retry', async () => {
  const id = await secondLost(false)
  await write({ managedBootImages: NONE }, GITOPS)
  await applyAction(id, 'applier')
  expect(await row(id)).toMatchObject({ state: 'failed', claimedUntil: null })
  const retried = await retryAction(ctx, { actionId: id })
  expect(retried).toMatchObject({ state: 'failed', conflict: true })
  expect(retried.error).toContain('Somebody else changed')
})

test('nor where Drydock had recorded an earlier version there', async () => {
  const manual = { mode: 'OCPVersion', ocpVersion: '4.12.0' }
  const drydock = { user: 'drydock', groups: ['system:masters'], fieldManager: 'drydock' }
  await write({ bootImageSkewEnforcement: { mode: 'Manual', manual } }, drydock)
  const id = await firstLost(false)
  await write({ bootImageSkewEnforcement: { manual: { ocpVersion: '4.16.0' } } }, GITOPS)
  await applyAction(id, 'applier')
  expect(await row(id)).toMatchObject({ state: 'failed', claimedUntil: null })
  const retried = await retryAction(ctx, { actionId: id })
  expect(retried).toMatchObject({ state: 'failed', conflict: true })
})

test('what was decided is to stand still when it is found by itself', async () => {
  const id = await secondLost(true)
  inSteps.still = () => Promise.resolve('It is closed by now.')
  await applyAction(id, 'applier').finally(() => delete inSteps.still)
  expect((await row(id)).state).toBe('failed')
  await applyAction(id, 'applier')
  expect((await row(id)).state).toBe('accepted')
})
