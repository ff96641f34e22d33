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

test('what waits between two writes is told from when its page says that it takes too long', async () => {
  const waiting = async (name: string, minutes: number) => {
    const id = await failed(name, 1, 2)
    const steps = [
      { label: 'Record 4.16.0', body: { spec: {} }, state: 'stored', at: null },
      { label: 'Manage none', body: {}, state: 'open', at: null, waitsFor: 'the operator has left Automatic' },
    ]
    const data = {
      state: 'waiting',
      step: 1,
      attempts: 0,
      calls: [],
      waitsSince: new Date(Date.now() - minutes * 60_000),
    }
    await db().openShiftAction.update({ where: { id }, data: { ...data, steps } })
    return id
  }
  await waiting('in-time', 2)
  const id = await waiting('late', 3)
  const found = (await halfwayNeeds({})).filter(({ where }) => ['in-time', 'late'].includes(where))
  expect(found).toMatchObject([
    {
      ...{ id, where: 'late' },
      sentence:
        'A decision of l.varga stands in the middle: Manage none waits for longer than it should until the operator has left Automatic. Of its 2 steps 1 was stored, and no more.',
    },
  ])
})
