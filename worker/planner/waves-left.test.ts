import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { recordAudit } from '@/lib/services/audit/record'
import { approveChange } from '@/lib/services/changes/approve-change'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { systemCtx } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { expectHeld, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, cy, row } from '@/testenv/timed'
import { placed, seen, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const cluster = wavedCluster()
const { running, slow, place, round: wavesRound } = cluster
const { away, round } = settlingRollouts(cluster)

type How = 'stopped by itself' | 'rejected on its way' | 'under way'
const names = (...held: Held[]) => ({ names: held.map(({ name }) => name) })
const policy = async (spec: object) => savePolicy(cy, { name: `p-${randomUUID()}`, spec })

/** Two canaries, one of them through; and what comes after both of them, approved and kept for its wave. */
async function canaries(how: How) {
  const [well, ill, next] = [await running(), await running(), await slow()]
  const waves = [
    { name: 'canary', select: names(well, ill) },
    { name: 'next', select: names(next) },
  ]
  if (how === 'stopped by itself') await away(ill, 30)
  const { id: policyId } = await policy({ select: names(well, ill, next), waves, stopsAt: 1, readyWithin: '15m' })
  await db().change.update({ where: { id: well.change.id }, data: { state: 'done', finishedAt: new Date() } })
  if (how === 'stopped by itself') expect(await round(ill)).toMatchObject({ state: 'waiting' })
  if (how === 'rejected on its way')
    await db().change.update({ where: { id: ill.change.id }, data: { state: 'rejected' } })
  return { well, ill, next, run: { policyId, wish: 'version v1.34.1' } }
}

async function kept(next: Held): Promise<void> {
  await approveChange(bo, { ...inputFor(next), reason: 'x' })
  await place()
  expect((await placed(next)).why).toContain('canary is not through')
}

/** It is of another management cluster, as its canaries would be. */
async function elsewhere({ change }: Held): Promise<string> {
  const { id } = await db().managementCluster.create({ data: { name: `other-${randomUUID()}`, server: 'https://x' } })
  await db().group.update({ where: { id: change.groupId }, data: { clusterId: id } })
  await db().change.update({ where: { id: change.id }, data: { clusterId: id } })
  await place()
  return id
}

const disconnect = (clusterId: string) =>
  db().$transaction(async (tx) => {
    await forgetRows(tx, clusterId)
    const target = { kind: 'ManagementCluster', id: clusterId, name: 'other' }
    await recordAudit(tx, systemCtx('test'), { action: 'cluster.disconnected', target })
  })

async function stays(next: Held): Promise<void> {
  for (let i = 0; i < 3; i++) await wavesRound()
  expect({ at: (await placed(next)).state, state: (await row(next)).state }).toEqual({ at: 'waits', state: 'waiting' })
  await expectHeld(next)
}

describe('no disconnect opens a wave', () => {
  test.each<How>(['stopped by itself', 'rejected on its way', 'under way'])(
    'of two canaries one is through; the other was %s when its cluster was disconnected',
    async (how) => {
      const { ill, next, run } = await canaries(how)
      await kept(next)
      await disconnect(await elsewhere(ill))
      await stays(next)
      expect((await placed(next)).why).toContain(
        `${ill.name} (its cluster was disconnected before it was done: connect it again, or skip its wave)`,
      )
      await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is gone' })
      await wavesRound()
      expect(await placed(next)).toMatchObject({ state: 'open' })
    },
    120_000,
  )

  test.each(['version v1.34.1', 'content x'])(
    'also when it is connected again, and has %s, and is not Ready; until it is',
    async (wish) => {
      const { well, ill, next } = await canaries('stopped by itself')
      const ids = { in: [well, ill, next].map(({ change }) => change.id) }
      await db().change.updateMany({ where: { id: ids }, data: { wish, wishExact: wish } })
      await kept(next)
      const clusterId = await elsewhere(ill)
      const { id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt } =
        await db().group.findUniqueOrThrow({ where: { id: ill.change.groupId } })
      await disconnect(clusterId)
      // At once, and before anybody has looked at it.
      await db().group.create({
        data: {
          ...{ clusterId, id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt },
          ...{ governed: true, version: 'v1.34.1', generation: 2, observedGeneration: 2, rollingOut: false },
          ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 0 },
        },
      })
      await stays(next)
      // As it is known that it is there.
      await policy({ select: names(ill), reasonRequired: true })
      await stays(next)
      expect((await placed(next)).why).toContain(`${ill.name} (stopped, never counted as done, and over`)
      await db().change.update({ where: { id: ill.change.id }, data: { stoppedAt: null, stoppedBy: null } })
      await stays(next)
      expect((await placed(next)).why).toContain(`${ill.name} (updated, and not Ready yet)`)
      await db().group.update({ where: { id }, data: { availableReplicas: 1 } })
      await wavesRound()
      expect(await placed(next)).toMatchObject({ state: 'open' })
    },
    120_000,
  )
})

test('a canary whose labels are not known is waited for, in the wave in which it was placed', async () => {
  const { well, ill, next } = await canaries('stopped by itself')
  for (const { change } of [well, ill, next]) {
    const { clusterId, namespace, workloadCluster: name } = change
    await db().workloadCluster.create({
      data: { ...{ clusterId, namespace, name }, id: randomUUID(), provider: 'cluster-api', labels: {} },
    })
  }
  await kept(next)
  const before = await placed(ill)
  const { clusterId, namespace, workloadCluster: name } = ill.change
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  await policy({ select: { labels: { stage: 'prod' } }, reasonRequired: true })
  await stays(next)
  expect((await placed(next)).why).toContain(`${ill.name} (its labels are not known yet)`)
  expect(await placed(ill)).toEqual(before)
}, 120_000)
