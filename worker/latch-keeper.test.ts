import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { LatchStatus } from '@/lib/services/latch/status'
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
})
