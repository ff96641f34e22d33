import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx, Role } from '../context'
import { getShell } from '../fleet/get-shell'
import { needsYou } from '../fleet/needs-you'
import { getPool } from '../pools/get-pool'
import { listPools } from '../pools/list-pools'
import { getBootImageCard } from '../skew/get-card'
import { listBootImages } from '../skew/list'
import { tellReviews } from './tell-reviews'

useTestDatabase()
const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const DAY = 86_400_000
let clusterId = ''
let poolId = ''
const at = (days: number) => new Date(Date.now() + days * DAY)
const told = async () =>
  (await db().auditEvent.findMany({ where: { clusterId }, orderBy: { id: 'asc' } })).map(
    ({ action, targetName }) => `${action} ${targetName}`,
  )
const messages = async () => (await db().message.findMany({ orderBy: { createdAt: 'asc' } })).map(({ kind }) => kind)

beforeEach(async () => {
  clusterId = randomUUID()
  poolId = randomUUID()
  await db().message.deleteMany()
  await db().webhook.deleteMany()
  await db().managementCluster.deleteMany()
  await db().managementCluster.create({
    data: { id: clusterId, name: 'tidal', server: 'https://api.example', state: 'connected', lastHeardAt: new Date() },
  })
  await db().openShiftCluster.create({
    data: {
      ...{
        clusterId,
        version: '4.22.4',
        mode: 'Manual',
        recordedOcp: '4.16.0',
        verdict: 'ok',
        availability: 'enforced',
      },
      specSkew: { mode: 'Manual' },
    },
  })
  await db().configPool.create({
    data: { id: poolId, clusterId, name: 'worker', paused: true, state: 'paused', resourceVersion: '1' },
  })
})

const decided = (data: object) =>
  db().openShiftAction.create({
    data: { ...{ clusterId, actorId: 'u1', actorName: 'l.varga', state: 'seen', action: 'acknowledge', version: '4.16.0' }, ...data }, // prettier-ignore
  })
const pause = (reviewAt: Date | null) =>
  decided({ kind: 'pool', target: 'machineconfigpools/worker', action: 'pause', version: null, reviewAt })

test('what is not due yet is not told; what is, once, whoever looks again', async () => {
  await decided({ reviewAt: at(10) })
  await pause(at(20))
  await tellReviews(at(9))
  expect(await told()).toEqual([])
  await tellReviews(at(11))
  expect(await told()).toEqual(['skew.review-due cluster'])
  await Promise.all([tellReviews(at(21)), tellReviews(at(21)), tellReviews(at(22))])
  expect(await told()).toEqual(['skew.review-due cluster', 'pool.review-due worker'])
})

test('it is a message where messages go: what, since when, and where to look', async () => {
  await db().webhook.create({
    data: { sealed: Buffer.from('-'), keyId: 'k', host: 'hooks.example', hasToken: false, setBy: 'l.varga' },
  })
  await decided({ reviewAt: at(-1) })
  await pause(at(-2))
  await db().openShiftCluster.update({ where: { clusterId }, data: { flaggedWhy: 'workers starts from 4.14.0.' } })
  await tellReviews(new Date())
  expect((await messages()).sort()).toEqual(['evidence-against', 'review-due', 'review-due'])
  const bodies = (await db().message.findMany()).map(({ body }) => body as { sentence: string; link: string })
  expect(bodies.find(({ link }) => link.endsWith(`/pools/${poolId}`))?.sentence).toMatch(
    /^What was decided on the pool worker of tidal is due for review, by the date that was set, .* UTC\.$/,
  )
  expect(bodies.filter(({ link }) => link.endsWith(`/boot-images/${clusterId}`))).toHaveLength(2)
  expect(JSON.stringify(bodies)).not.toContain('4.14.0')
})

test('what no longer stands is not told: another word since, another version in the cluster, a pool that goes on', async () => {
  await decided({ reviewAt: at(-1), recordedAt: at(-3) })
  await decided({ action: 'acknowledge', version: '4.17.0', recordedAt: at(-2) })
  await pause(at(-1))
  await db().configPool.update({ where: { id: poolId }, data: { paused: false } })
  await tellReviews(new Date())
  expect(await told()).toEqual([])
})

test.each([
  ['somebody paused it elsewhere since', { pausedBy: 'kubectl-edit', pausedSince: at(-1) }, false],
  ['Drydock holds it', { pausedBy: 'drydock', pausedSince: at(-1) }, true],
])('the date of a pause that does not stand any more is told nowhere: %s', async (_, pool, isHeld) => {
  await pause(at(-1))
  await db().openShiftAction.updateMany({ data: { recordedAt: at(-3) } })
  const shown = async () => {
    const { pools, due } = await listPools(as('viewer'), {})
    const kinds = (await needsYou(as('operator'), {})).map(({ kind }) => kind)
    const { reviewDue } = await getPool(as('viewer'), { id: poolId })
    return { due, row: pools[0]!.reviewDue, page: reviewDue, needs: kinds.includes('pool-review') }
  }
  await db().configPool.update({ where: { id: poolId }, data: { pausedBy: 'drydock', pausedSince: at(-3) } })
  expect(await shown()).toEqual({ due: 1, row: true, page: true, needs: true })
  await db().configPool.update({ where: { id: poolId }, data: pool })
  if (isHeld)
    await db().group.create({
      data: {
        ...{
          id: poolId,
          clusterId,
          kind: 'MachineConfigPool',
          name: 'worker',
          namespace: '',
          workloadCluster: 'tidal',
        },
        ...{
          apiVersion: 'machineconfiguration.openshift.io/v1',
          resourceVersion: '1',
          createdAt: at(-9),
          held: 'Held.',
        },
      },
    })
  expect(await shown()).toEqual({ due: 0, row: false, page: false, needs: false })
  await tellReviews(new Date())
  expect(await told()).toEqual([])
})

test('an acknowledgement in the first write of a decision on managed images has a date as well', async () => {
  await decided({
    ...{ kind: 'managed', action: 'manage', state: 'waiting', step: 1, reviewAt: at(-1) },
    ...{ wish: { skew: { action: 'acknowledge' } }, steps: [{ state: 'stored' }, { state: 'open' }] },
  })
  await tellReviews(new Date())
  expect(await told()).toEqual(['skew.review-due cluster'])
  expect(await getBootImageCard(as('viewer'), { cluster: 'tidal' })).toMatchObject({
    saidBy: 'l.varga',
    reviewDue: true,
  })
})

test('evidence against it has no age: the date of its review may lie ahead', async () => {
  await decided({ reviewAt: at(1) })
  await db().openShiftCluster.update({ where: { clusterId }, data: { flaggedWhy: 'a starts from 4.14.0.' } })
  const found = (await needsYou(as('operator'), {})).filter(({ kind }) => kind === 'skew-review')
  expect(found).toMatchObject([{ since: null }])
  await db().openShiftCluster.update({ where: { clusterId }, data: { flaggedWhy: null } })
})

test('a decision that failed in the middle needs somebody who may go on with it, or back', async () => {
  const inTwo = { kind: 'managed', wish: { sets: { mode: 'None' } }, state: 'failed' }
  const steps = [
    { label: 'Record 4.22.4', state: 'stored' },
    { label: 'Manage no machine set', state: 'failed' },
  ]
  await decided({ ...inTwo, step: 1, steps })
  const needs = async (role: Role) => (await needsYou(as(role), {})).filter(({ kind }) => kind === 'halfway')
  expect(await needs('operator')).toMatchObject([
    {
      where: 'tidal',
      sentence:
        'A decision of l.varga stands in the middle: Manage no machine set failed. Of its 2 steps 1 was stored, and no more.',
      action: { href: `/boot-images/${clusterId}` },
    },
  ])
  expect(await needs('viewer')).toEqual([])
  await db().openShiftAction.updateMany({ data: { step: 0 } })
  expect(await needs('operator')).toEqual([])
})

test('evidence against it is told once, and again where it was supported in between', async () => {
  const flag = (flaggedWhy: string | null) =>
    db().openShiftCluster.update({ where: { clusterId }, data: { flaggedWhy } })
  await flag('a starts from 4.14.0.')
  await tellReviews(new Date())
  await flag('a and b start from 4.14.0.')
  await tellReviews(new Date())
  expect(await told()).toEqual(['skew.unsupported cluster'])
  await flag(null)
  await tellReviews(new Date())
  await flag('a starts from 4.14.0.')
  await tellReviews(new Date())
  expect(await told()).toHaveLength(2)
})

test('rows, pages, filters and counts say it', async () => {
  await decided({ reviewAt: at(-1) })
  await pause(at(-1))
  const viewer = as('viewer')
  const { clusters, summary } = await listBootImages(viewer, { q: 'review:due' })
  expect([clusters.map(({ name }) => name), summary.due]).toEqual([['tidal'], 1])
  const due = await listPools(viewer, { review: 'due' })
  expect(due).toMatchObject({ due: 1, pools: [{ name: 'worker', reviewDue: true }] })
  expect(await getPool(viewer, { id: poolId })).toMatchObject({ reviewDue: true })
  // One that came to nothing changes nothing of the pause that stands.
  const failed = { kind: 'pool', target: 'machineconfigpools/worker', action: 'resume', state: 'failed' }
  await decided({ ...failed, version: null, recordedAt: at(1) })
  expect(await listPools(viewer, { review: 'due' })).toMatchObject({ due: 1 })
  expect(await getPool(viewer, { id: poolId })).toMatchObject({ reviewDue: true, action: { state: 'failed' } })
  const needs = async (role: Role) => (await needsYou(as(role), {})).map(({ kind }) => kind)
  expect(await needs('operator')).toEqual(expect.arrayContaining(['skew-review', 'pool-review']))
  expect(await needs('viewer')).not.toContain('pool-review')
  expect((await getShell(as('operator'))).waiting.skew).toBe(1)
  await db().openShiftAction.updateMany({ data: { reviewAt: at(1) } })
  expect(await listPools(viewer, { review: 'due' })).toMatchObject({ due: 0, pools: [] })
  expect(await needs('operator')).not.toContain('pool-review')
  expect((await getShell(as('operator'))).waiting.skew).toBe(0)
})
