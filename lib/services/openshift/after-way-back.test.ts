import { expect, test } from 'vitest'
import { cancelAction } from './cancel-action'
import { CLUSTER_CONFIGURATION } from './kinds/skew'
import { previewGoOn } from './preview-go-on'
import { retryAction } from './retry-action'
import { stepOn } from './step-on'
import { beforeEngineTests, begin, cluster, ctx, failure, GITOPS, operatorSays, spec, write } from './suites/engine'
import { NONE } from './suites/kind'

beforeEngineTests()

test('after a way back that meets a change it goes on as well, with what was left, and goes back from there', async () => {
  const { id } = await begin()
  await write({ logLevel: 'Trace' }, GITOPS)
  await stepOn(cluster.id(), CLUSTER_CONFIGURATION)
  await operatorSays('Manual')
  const back = () => cancelAction(ctx, { actionId: id, takeBack: true })
  const looked = async () => {
    const { resourceVersion, generation: seen, uid, label, follows } = await previewGoOn(ctx, { actionId: id })
    return { label, follows, bound: { actionId: id, resourceVersion, generation: seen ?? undefined, uid } }
  }
  expect(await back()).toMatchObject({ state: 'failed', conflict: true, goesOn: true })
  const { label, follows, bound } = await looked()
  expect([label, follows]).toEqual(['Manage no machine set', ['What is stored of it is not taken back.']])
  // Changed again: it stands before the second write, with both ways.
  await write({ logLevel: 'TraceAll' }, GITOPS)
  const again = await retryAction(ctx, bound)
  expect(again).toMatchObject({ state: 'failed', step: 1, conflict: true, goesOn: true, steps: [{}, {}] })
  expect(again.back).not.toBeNull()
  expect(await back()).toMatchObject({ state: 'failed', step: 2, goesOn: true })
  await operatorSays('Manual')
  expect(await retryAction(ctx, (await looked()).bound)).toMatchObject({ state: 'accepted', error: null })
  expect(spec()).toMatchObject({ managedBootImages: NONE, logLevel: 'TraceAll' })
  expect(spec().bootImageSkewEnforcement).toMatchObject({ mode: 'Manual' })
})

test('after a way back that meets a change of what is stored there is no going on', async () => {
  const { id } = await begin()
  await operatorSays('Manual')
  await write({ logLevel: 'Debug' }, GITOPS)
  expect(await cancelAction(ctx, { actionId: id, takeBack: true })).toMatchObject({ state: 'failed', goesOn: true })
  await write({ bootImageSkewEnforcement: { mode: 'None', manual: null } }, GITOPS)
  expect(await failure(previewGoOn(ctx, { actionId: id }))).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('Somebody else wrote') as string,
  })
})
