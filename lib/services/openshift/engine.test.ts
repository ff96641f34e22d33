import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { openShiftResources } from '@/sandbox/openshift'
import { kubeClientFor } from '../clusters/connection'
import { forgetRows } from '../clusters/forget-rows'
import { halfwayNeeds } from '../fleet/halfway'
import type { Ctx } from '../context'
import { actionDto } from './action-row'
import { applyAction } from './apply-action'
import { cancelAction } from './cancel-action'
import { CLUSTER_CONFIGURATION } from './kinds/skew'
import { markActionsSeen } from './mark-action-seen'
import { previewCancel } from './preview-cancel'
import { previewGoOn } from './preview-go-on'
import { readTarget } from './read-target'
import { recordAction, recordAndApply } from './record-action'
import { rehearse } from './rehearse'
import { retryAction } from './retry-action'
import { stepOn } from './step-on'
import { underWayOn } from './under-way'
import { begin, cluster, ctx, events, failure, generation, GITOPS, operatorSays, operatorWorks } from './suites/engine'
import { row, spec, stateOf, beforeEngineTests, wanted, write } from './suites/engine'
import { ALL, inSteps, NONE, STEPS } from './suites/kind'

beforeEngineTests()
const TAKEN_BACK = 'Cancelled: of its 2 steps 1 was stored, and is taken back.'

describe('in steps', () => {
  test('the second waits for the operator, and both are read back, told and seen', async () => {
    const before = generation()
    const action = await begin()
    expect(action).toMatchObject({
      ...{ state: 'waiting', step: 1, error: null, conflict: false },
      waiting: { until: 'the operator has left Automatic', overdue: false },
      back: { label: 'Let the operator decide' },
      steps: [{ state: 'stored' }, { state: 'open', at: null }],
    })
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await stateOf(action.id)).toBe('waiting')
    expect(spec().managedBootImages).toEqual(ALL)
    await operatorSays('Manual')
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await row(action.id)).toMatchObject({ state: 'accepted', waitsSince: null })
    expect(spec().managedBootImages).toEqual(NONE)
    expect(generation()).toBe(before + 2)
    await markActionsSeen(cluster.id(), inSteps.kind)
    expect(await stateOf(action.id)).toBe('accepted')
    inSteps.shown = { answer: 'none managed', details: {} }
    await markActionsSeen(cluster.id(), inSteps.kind)
    expect(await stateOf(action.id)).toBe('seen')
    expect(await events(action.id)).toEqual([
      ...['in-steps.decided ok', 'in-steps.step-stored ok', 'in-steps.accepted ok', 'in-steps.seen ok'],
    ])
  })

  test('what has been waited for too long says so, and goes on all the same', async () => {
    const { id } = await begin()
    const waitsSince = new Date(Date.now() - 600_000)
    await db().openShiftAction.update({ where: { id }, data: { waitsSince } })
    const shown = await failure(begin())
    expect(shown).toMatchObject({ code: 'conflict' })
    expect(shown.message).toBe(
      'A decision on MachineConfiguration/cluster, by l.varga, is still under way and waits until the operator has left Automatic.',
    )
    // As the buttons are called where it stands.
    expect(shown.more.hint).toBe(
      'Wait until it is done. Go back, or leave it as it stands, where that is not to be: on the page of its cluster.',
    )
    await operatorSays('Manual')
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await stateOf(id)).toBe('accepted')
  })

  test('while the cluster does not answer it waits on, and says why', async () => {
    const { id } = await begin()
    cluster.server().faults.reset(true)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await row(id)).toMatchObject({
      state: 'waiting',
      error: expect.stringContaining('does not answer') as string,
    })
    cluster.server().faults.reset(false)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await row(id)).toMatchObject({ state: 'waiting', error: null })
  })

  test('a step that the API server refuses leaves it in the middle; a retry goes on there', async () => {
    const hasty = STEPS.map(({ waitsFor: _, ...step }) => step)
    const failed = await begin({ steps: hasty })
    expect(failed).toMatchObject({
      state: 'failed',
      step: 1,
      conflict: false,
      back: { label: 'Let the operator decide' },
    })
    expect(failed.answer).toContain("must use selection mode 'All'")
    expect(failed.error).toBe('The API server refused the change. Of its 2 steps 1 was stored, and no more.')
    expect(failed.steps.map((step) => step.state)).toEqual(['stored', 'failed'])
    await operatorSays('Manual')
    expect(await retryAction(ctx, { actionId: failed.id })).toMatchObject({ state: 'accepted', error: null })
    expect(spec().managedBootImages).toEqual(NONE)
  })
})

describe('others write, too', () => {
  test('the operator’s status in between is no conflict where the generation was looked at, and is one where it was not', async () => {
    const looked = wanted()
    await operatorWorks()
    const blind = await recordAndApply(ctx, { ...looked, looked: { resourceVersion: looked.looked.resourceVersion } })
    expect(blind).toMatchObject({ state: 'failed', conflict: true })
    const action = await recordAndApply(ctx, looked)
    expect(action).toMatchObject({ state: 'waiting', step: 1 })
    expect(action.calls.map((call) => call.code)).toEqual([409, 200])
  })

  test('the specification changed before the first step: nothing is written, and who holds the field is named', async () => {
    const looked = wanted()
    await write({ bootImageSkewEnforcement: { mode: 'None' } }, GITOPS)
    // Whose status comes last did not change what was decided on.
    await operatorWorks()
    const failed = await recordAndApply(ctx, looked)
    expect(failed).toMatchObject({ state: 'failed', conflict: true })
    expect(failed.error).toContain(
      'Nothing was changed: look again and decide again. argocd-controller wrote it last. It then said: None',
    )
    expect(failed.error).toContain(
      'Argo CD (argocd-controller) holds spec.bootImageSkewEnforcement. Its next sync writes',
    )
    expect(spec().bootImageSkewEnforcement).toEqual({ mode: 'None' })
  })

  test('half way, nothing else is decided on the object until somebody says what becomes of it', async () => {
    const { id } = await begin()
    await write({ logLevel: 'TraceAll' }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect(await failure(begin())).toMatchObject({
      ...{
        code: 'conflict',
        more: { hint: expect.stringMatching(/^Go on, go back, or leave it as it stands first\./) },
      },
      message:
        'A decision on MachineConfiguration/cluster, by l.varga, stands half way. Of its 2 steps 1 was stored, and no more.',
    })
    expect(await underWayOn(cluster.id(), CLUSTER_CONFIGURATION, 'it')).toMatchObject({ id, halfway: true })
    expect(await stateOf(id)).toBe('failed')
    await cancelAction(ctx, { actionId: id })
    expect(await underWayOn(cluster.id(), CLUSTER_CONFIGURATION, 'it')).toBeNull()
    expect((await begin()).state).toBe('waiting')
  })

  test('changed between the steps: it goes on for what was looked at anew, and not for what is another one again', async () => {
    const { id } = await begin()
    await write({ logLevel: 'Debug', operatorLogLevel: 'Trace' }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const early = await previewGoOn(ctx, { actionId: id })
    expect(early).toMatchObject({ label: 'Manage no machine set', stands: 'Manual, 4.16.0' })
    expect(early.dryRun).toMatchObject({ ok: true, sentence: expect.stringContaining('when the operator has left') })
    await operatorSays('Manual')
    const { resourceVersion, generation: seen, uid, dryRun } = await previewGoOn(ctx, { actionId: id })
    expect(dryRun).toMatchObject({ ok: true, sentence: 'The API server would store this.' })
    const looked = { resourceVersion, generation: seen ?? undefined, uid }
    await write({ logLevel: 'TraceAll' }, GITOPS)
    expect(await retryAction(ctx, { actionId: id, ...looked })).toMatchObject({ state: 'failed', conflict: true })
    expect(spec().managedBootImages).toEqual(ALL)
    await operatorSays('Manual')
    const anew = await previewGoOn(ctx, { actionId: id })
    const bound = { resourceVersion: anew.resourceVersion, generation: anew.generation ?? undefined, uid }
    expect(await retryAction(ctx, { actionId: id, ...bound })).toMatchObject({ state: 'accepted', error: null })
    expect(spec()).toMatchObject({ managedBootImages: NONE, logLevel: 'TraceAll' })
    expect(await failure(previewGoOn(ctx, { actionId: id }))).toMatchObject({ code: 'conflict' })
  })

  test('changed between the steps: it is told at once, and can be taken back or left', async () => {
    const { id } = await begin()
    await write({ logLevel: 'Debug' }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const failed = await row(id)
    expect(failed).toMatchObject({ state: 'failed', step: 1 })
    expect(actionDto(failed)).toMatchObject({ conflict: true, answer: null })
    expect(failed.error).toContain('Of its 2 steps 1 was stored, and no more: look again and decide again.')
    await operatorSays('Manual')
    expect(await retryAction(ctx, { actionId: id })).toMatchObject({ state: 'failed', conflict: true })
    expect(await cancelAction(ctx, { actionId: id, takeBack: true })).toMatchObject({ state: 'failed', conflict: true })
    expect(spec().bootImageSkewEnforcement).toMatchObject({ mode: 'Manual' })
    const left = await cancelAction(ctx, { actionId: id })
    expect(left).toMatchObject({
      state: 'cancelled',
      error: expect.stringContaining('Cancelled: of its 2 steps 1 was stored, and is not taken back.') as string,
    })
    expect(spec()).toMatchObject({ bootImageSkewEnforcement: { mode: 'Manual' }, managedBootImages: ALL })
  })

  test('what is stored is written over between the steps: the way back would take away what somebody else wrote', async () => {
    const { id } = await begin()
    await write(
      { bootImageSkewEnforcement: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.15.0' } } },
      GITOPS,
    )
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    for (const preview of [previewCancel, previewGoOn])
      expect(await failure(preview(ctx, { actionId: id }))).toMatchObject({
        ...{
          code: 'invalid',
          message: expect.stringContaining('Somebody else wrote spec.bootImageSkewEnforcement since'),
        },
        more: { hint: expect.stringContaining('Manual, 4.15.0') as string },
      })
    expect(spec().bootImageSkewEnforcement).toMatchObject({ mode: 'Manual' })
  })

  test('what is stored is taken away between the steps: that is said, and there is no way back', async () => {
    const { id } = await begin()
    await write({ bootImageSkewEnforcement: null }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect((await row(id)).error).toContain(
      'Of its 2 steps 1 was stored, and is not there any more: look again and decide again.',
    )
    expect(await failure(previewCancel(ctx, { actionId: id }))).toMatchObject({
      ...{ code: 'invalid', message: 'Nothing of it is there any more, so there is nothing to take back.' },
    })
    const left = await cancelAction(ctx, { actionId: id })
    expect(left.error).toMatch(/^Cancelled: of its 2 steps 1 was stored, and is not there any more\. Before that: /)
    expect(left.error).not.toMatch(/taken back|Of its|decide again/)
  })

  test('taken away after another step was refused: that is said before anybody goes on, and going on tells no old answer', async () => {
    const hasty = STEPS.map(({ waitsFor: _, ...step }) => step)
    const { id } = await begin({ steps: hasty })
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    expect((await row(id)).error).toBe('The API server refused the change. Of its 2 steps 1 was stored, and no more.')
    await write({ bootImageSkewEnforcement: null }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const gone = await row(id)
    const said = 'Of its 2 steps 1 was stored, and is not there any more'
    expect(gone.error).toBe(`The API server refused the change. ${said}.`)
    // What was refused is told with its answer, and that there is no going on.
    expect(actionDto(gone)).toMatchObject({
      ...{ conflict: true, back: null },
      answer: expect.stringContaining("mode 'All'") as string,
    })
    const [need] = await halfwayNeeds({})
    expect(need?.sentence).toContain(said)
    await write(STEPS[0]!.body.spec as JsonObject, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const back = actionDto(await row(id))
    expect(back.error).toBe(
      'The API server refused the change. Of its 2 steps 1 was stored, and stands there again after somebody else wrote over it.',
    )
    // What there is to do fits that: it is bound to what stood there before.
    expect(back).toMatchObject({ conflict: true, back: { label: 'Let the operator decide' } })
    await write({ bootImageSkewEnforcement: null }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const again = await retryAction(ctx, { actionId: id })
    expect(again).toMatchObject({ state: 'failed', conflict: true, answer: null })
    expect(again.error).toContain(`Somebody else changed MachineConfiguration/cluster in the meantime. ${said}`)
  })

  test('taken back after a conflict, for the state that was looked at anew', async () => {
    const { id } = await begin()
    await write({ logLevel: 'Normal', operatorLogLevel: 'Debug' }, GITOPS)
    await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
    const { looked } = wanted()
    const done = await cancelAction(ctx, { actionId: id, takeBack: true, ...looked })
    expect(done).toMatchObject({ state: 'cancelled', error: TAKEN_BACK, back: null })
    expect(done.steps.map((step) => step.state)).toEqual(['stored', 'left', 'stored'])
    expect(spec().bootImageSkewEnforcement).toBeUndefined()
  })

  test('before deciding it is tried, and said who will write the field again', async () => {
    await write({ bootImageSkewEnforcement: { mode: 'None' } }, GITOPS)
    const target = inSteps.target(CLUSTER_CONFIGURATION)
    const client = await kubeClientFor(cluster.id())
    const now = await readTarget(client, inSteps, target)
    const before = generation()
    const shown = await rehearse(client, inSteps, target, now, STEPS[0]!.body)
    expect(shown.dryRun).toEqual({ ok: true, sentence: 'The API server would store this.', answer: null })
    expect(shown.owners).toEqual([
      expect.stringMatching(/^Argo CD \(argocd-controller\) holds spec\.bootImageSkewEnforcement\. Its next sync/),
    ])
    expect(shown.call.body.metadata).toEqual({ resourceVersion: now.metadata.resourceVersion })
    const refused = await rehearse(client, inSteps, target, now, STEPS[1]!.body)
    expect(refused.dryRun).toMatchObject({ ok: false, answer: expect.stringContaining("mode 'All'") as string })
    expect(generation()).toBe(before)
  })

  test('half of a patch that is stored is no success', async () => {
    const [resource] = openShiftResources()
    const dropped = (object: JsonObject) => {
      const { bootImageSkewEnforcement: _, ...rest } = object.spec as JsonObject
      return { ...object, spec: rest }
    }
    cluster.server().register({ ...resource!, mutate: (object) => dropped(object as unknown as JsonObject) as never })
    try {
      const body = { spec: { ...(STEPS[0]!.body.spec as JsonObject), managedBootImages: ALL, logLevel: 'Trace' } }
      const failed = await begin({ steps: [{ label: 'Both', body }] })
      expect(failed).toMatchObject({ state: 'failed', answer: 'not as sent: spec.bootImageSkewEnforcement' })
      expect(failed.error).toBe(
        'The API server stored a part of the change and dropped spec.bootImageSkewEnforcement: this release of OpenShift does not know boot image skew.',
      )
    } finally {
      cluster.server().register(resource!)
    }
  })
})

describe('cancel', () => {
  test('before anything was sent', async () => {
    const id = await recordAction(ctx, wanted())
    const before = generation()
    expect(await failure(cancelAction(ctx, { actionId: id, takeBack: true }))).toMatchObject({ code: 'invalid' })
    expect(await cancelAction(ctx, { actionId: id })).toMatchObject({ state: 'cancelled' })
    await applyAction(id, 'late')
    expect(generation()).toBe(before)
    expect(await failure(cancelAction(ctx, { actionId: id }))).toMatchObject({
      message: 'There is nothing left to cancel: the action is over.',
    })
  })

  test('of which the last answer is lost says that this is not known, and of one that was refused that nothing is stored', async () => {
    cluster.server().faults.reset(true)
    const lost = await begin().finally(() => cluster.server().faults.reset(false))
    expect((await cancelAction(ctx, { actionId: lost.id })).error).toMatch(
      /^Cancelled\. Whether its last step is stored is not known: look how the object stands\. Before that: The cluster did not answer/,
    )
    const looked = wanted()
    await write({ operatorLogLevel: 'Trace' }, GITOPS)
    const refused = await recordAndApply(ctx, looked)
    expect((await cancelAction(ctx, { actionId: refused.id })).error).toMatch(/^Cancelled before anything was stored\./)
  })

  test('while it waits, with what is stored taken back; where that fails it is retried', async () => {
    const { id } = await begin()
    cluster.server().faults.fail(503)
    const failed = await cancelAction(ctx, { actionId: id, takeBack: true })
    cluster.server().faults.fail(0)
    expect(failed).toMatchObject({ state: 'failed', back: null })
    expect(await retryAction(ctx, { actionId: id })).toMatchObject({ state: 'cancelled', error: TAKEN_BACK })
    expect(spec()).toEqual(expect.not.objectContaining({ bootImageSkewEnforcement: expect.anything() as unknown }))
    expect(await events(id)).toEqual([
      ...['in-steps.decided ok', 'in-steps.step-stored ok', 'in-steps.take-back ok', 'in-steps.failed refused'],
      ...['in-steps.retried ok', 'in-steps.taken-back ok'],
    ])
  })

  test('not in the middle of a write', async () => {
    const { id } = await begin()
    await db().openShiftAction.update({
      where: { id },
      data: { state: 'applying', claimedUntil: new Date(Date.now() + 60_000) },
    })
    expect(await failure(cancelAction(ctx, { actionId: id }))).toMatchObject({
      code: 'conflict',
      message: 'A step of it is being applied right now.',
    })
  })

  test('asks for the role', async () => {
    const viewer: Ctx = { actor: { ...ctx.actor, role: 'viewer' } }
    for (const verb of [cancelAction, retryAction]) expect((await failure(verb(viewer, {}))).code).toBe('forbidden')
    expect((await failure(recordAction(viewer, wanted()))).code).toBe('forbidden')
  })
})

test('on a cluster that is being disconnected nothing goes on, and with its rows what waits is over', async () => {
  const { id } = await begin()
  await operatorSays('Manual')
  const { state } = await db().managementCluster.findUniqueOrThrow({ where: { id: cluster.id() } })
  await db().managementCluster.update({ where: { id: cluster.id() }, data: { state: 'disconnected' } })
  await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
  expect(await stateOf(id)).toBe('waiting')
  await db().$transaction((tx) => forgetRows(tx, cluster.id()))
  expect(await row(id)).toMatchObject({ state: 'cancelled', error: expect.stringContaining('disconnected') as string })
  await db().managementCluster.update({ where: { id: cluster.id() }, data: { state } })
})
