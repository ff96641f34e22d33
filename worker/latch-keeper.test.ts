import { setTimeout } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { installLatch } from '@/lib/services/latch/install-latch'
import { withLatchLock } from '@/lib/services/latch/lock'
import { removeLatch } from '@/lib/services/latch/remove-latch'
import type { LatchStatus } from '@/lib/services/latch/status'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { startLatchKeeper } from './latch-keeper'

describe('the latch’s keeper', () => {
  useTestDatabase()

  const cluster = async (name: string, governs: string, discovery: object | null) =>
    (
      await db().managementCluster.create({
        data: {
          name,
          server: 'https://127.0.0.1:1',
          identity: 'drydock',
          discovery: discovery === null ? undefined : (discovery as Prisma.InputJsonValue),
          policy: { create: { governs } },
        },
      })
    ).id
  const status = async (id: string) =>
    (await db().managementCluster.findUniqueOrThrow({ where: { id } })).latchStatus as LatchStatus | null

  test('a governed cluster that it cannot check says so; one that is not governed is left alone', async () => {
    const capable = { clusterApi: { apiVersion: 'v1beta2' }, latch: { policy: null, webhook: true, guard: true } }
    const governed = [await cluster('no-gate', 'all', capable), await cluster('undiscovered', 'all', null)]
    const free = await cluster('free', 'none', null)
    const keeper = startLatchKeeper({ clusters: () => [...governed, free], intervalMs: 60_000 })
    try {
      for (const id of governed)
        await vi.waitFor(async () => expect(await status(id)).toMatchObject({ state: 'unknown' }), 10_000)
    } finally {
      await keeper.stop()
    }
    expect(await status(free)).toBeNull()
  })

  test('what somebody deletes is back long before its next look; where the latch was removed, it stays away', async () => {
    const sandbox = await sandboxTestCluster()
    const policies = { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingadmissionpolicies' }
    const there = async () => (await sandbox.admin.list(policies, undefined)).items.map(({ metadata }) => metadata.uid)
    const [admin, minute] = [systemCtx('test'), { intervalMs: 60_000, patienceMs: 3000 }]
    const { clusterId } = await addCluster(admin, { name: 'sandbox', kubeconfig: sandbox.kubeconfig })
    await installLatch(admin, { clusterId, governs: 'all' })
    const before = await there()
    const keeper = startLatchKeeper({ clusters: () => [clusterId], ...minute })
    try {
      await vi.waitFor(async () => expect(await status(clusterId)).toMatchObject({ state: 'intact' }), 10_000)
      for (let times = 0; times < 2; times++) {
        const last = await there()
        await sandbox.admin.delete(policies, 'drydock-machinedeployments')
        await vi.waitFor(async () => {
          const now = await there()
          expect(now).toHaveLength(before.length)
          expect(now).not.toEqual(last)
        }, 10_000)
        await vi.waitFor(async () => expect(await status(clusterId)).toMatchObject({ state: 'intact' }), 10_000)
      }
      // While somebody changes it, what is half there is no finding; of one who never ends it is, after a while.
      await withLatchLock(clusterId, async () => {
        // A look that began before the lock was taken has ended by then.
        await setTimeout(2000)
        await sandbox.admin.delete(policies, 'drydock-machinedeployments')
        await setTimeout(1000)
        expect(await status(clusterId)).toMatchObject({ state: 'intact' })
        await vi.waitFor(async () => expect(await status(clusterId)).toMatchObject({ state: 'missing' }), 10_000)
      })
      await vi.waitFor(async () => expect(await there()).toHaveLength(before.length), 10_000)
      await vi.waitFor(async () => expect(await status(clusterId)).toMatchObject({ state: 'intact' }), 10_000)
      await removeLatch(admin, { clusterId, held: [] })
      expect(await there()).toEqual([])
      keeper.poke(clusterId)
      await vi.waitFor(async () => expect(await status(clusterId)).toMatchObject({ state: 'none' }), 10_000)
    } finally {
      await keeper.stop()
      await closeClients()
      await sandbox.stop()
    }
    expect(await there().catch(() => [])).toEqual([])
    const repairs = await db().auditEvent.count({ where: { action: 'latch.repaired', result: 'ok' } })
    expect(repairs).toBe(3)
  })
})
