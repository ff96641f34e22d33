import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { halfwayNeeds } from './halfway'

useTestDatabase()
const HOUR_MS = 3_600_000

/** A decision on managed machine sets whose first write failed; `code`: none, where no answer came. */
async function failed(name: string, hoursAgo: number, steps: number, code?: number): Promise<string> {
  const { id: clusterId } = await db().managementCluster.create({ data: { name, server: 'https://x' } })
  const body = { spec: {} }
  const call = { body, at: new Date().toISOString(), step: 0, attempt: 1, ...(code && { code }) }
  const { id } = await db().openShiftAction.create({
    data: {
      ...{ clusterId, kind: 'managed', action: 'manage', actorId: 'u1', actorName: 'l.varga', state: 'failed' },
      ...{ attempts: 1, calls: [call], recordedAt: new Date(Date.now() - hoursAgo * HOUR_MS) },
      steps: Array.from({ length: steps }, (_, i): Prisma.InputJsonObject => ({
        ...{ label: `Step ${i + 1}`, body, state: i === 0 ? 'failed' : 'open', at: null },
      })),
    },
  })
  return id
}

test('of the first of several writes the answer is lost: that is told however many older ones were refused', async () => {
  for (let i = 0; i < 20; i++) await failed(`refused-${i}`, 3, 2, 403)
  await failed('alone', 2, 1)
  const lost = await failed('lost', 1, 2)
  expect(await halfwayNeeds({})).toMatchObject([
    {
      ...{ id: lost, where: 'lost' },
      sentence:
        'A decision of l.varga stands in the middle: Step 1 failed. Whether an earlier try was stored is not known.',
    },
  ])
  expect(await halfwayNeeds({ cluster: 'refused-1' })).toEqual([])
})
