import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { annotations, audited, expectHeld, latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import type { ClusterView } from '../types'
import { releaseLeftover } from './release'

useTestDatabase()
const at = latchedCluster()

async function viewOf(fence = 1n): Promise<ClusterView> {
  const { clusterId } = at
  const client = await kubeClientFor(clusterId)
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const capabilities = discovery as unknown as Capabilities
  return { clusterId, name: 'm', client, capabilities, fence, objects: () => new Map() }
}

/** Changed back to what it was let go with, and so held for nothing. */
async function leftover(): Promise<Held> {
  const held = await at.held()
  await held.bump('v1.34.0')
  const { letGo } = await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
  expect(rolloutDigest(await held.read())).toBe(letGo)
  await expectHeld(held)
  return held
}

test('a hold that holds nothing any more is let go', async () => {
  const held = await leftover()
  const view = await viewOf()
  // Its controllers write to it at the same time: that is tried again.
  await vi.waitFor(async () => {
    expect(await releaseLeftover(view, await held.read(), held.change.id, 'reverted')).toBe(true)
  }, 10_000)
  const found = await annotations(held)
  expect(Object.keys(found).filter((key) => /drydock|paused/.test(key))).toEqual([])
  // A try that lost a race is on record once, and its intent is not repeated.
  const said = (await audited(held)).filter((entry) => entry !== 'change.reverted refused')
  expect(said).toEqual(['change.revert ok', 'change.reverted ok'])
})

test('what the watch had not told yet is compared anew: a change that came since keeps its hold', async () => {
  const held = await leftover()
  const stale = await held.read()
  await held.bump('v1.34.2')
  expect(await releaseLeftover(await viewOf(), stale, held.change.id, 'reverted')).toBe(false)
  await expectHeld(held)
  expect(await audited(held)).toEqual([])
})

test('a change that comes between the comparison and the release keeps its hold, too', async () => {
  const held = await leftover()
  const view = await viewOf()
  const { patch } = view.client
  view.client.patch = async (...args) => {
    view.client.patch = patch
    await held.bump('v1.34.2')
    return patch.apply(view.client, args)
  }
  try {
    expect(await releaseLeftover(view, await held.read(), held.change.id, 'reverted')).toBe(false)
  } finally {
    view.client.patch = patch
  }
  await expectHeld(held)
  expect(await audited(held)).toEqual(['change.revert ok', 'change.reverted refused'])
})

test('a worker that no longer owns the cluster lets nothing go, and writes nothing', async () => {
  const held = await leftover()
  const { clusterId } = at
  const until = new Date(Date.now() + 3_600_000)
  await db().clusterLease.create({ data: { clusterId, owner: 'another', fence: 2n, until } })
  const release = async (fence: bigint) =>
    releaseLeftover(await viewOf(fence), await held.read(), held.change.id, 'reverted')
  await expect(release(1n)).rejects.toThrow('Another worker owns')
  await expectHeld(held)
  expect(await audited(held)).toEqual([])
  // A controller that writes its status in between makes it come back, as the planner does.
  await expect.poll(() => release(2n)).toBe(true)
})
