import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Listening } from '@/lib/db/listen'
import { announce, type Announcement } from '@/lib/db/notify'
import { useTestDatabase } from '@/lib/db/testing'
import { as } from '@/testenv/deciding'
import { checkLatch } from './check-latch'

useTestDatabase()

test('whoever has the latch looked at has what Drydock may do there asked again, also where the look fails', async () => {
  const heard: Announcement[] = []
  const listening = new Listening()
  const stop = listening.add((told) => void (told.kind === 'announcement' && heard.push(told.message)))
  await expect.poll(() => listening.connected).toBe(true)
  const clusterId = randomUUID()
  await db().managementCluster.create({ data: { id: clusterId, name: 'hub', server: 'https://api.example' } })
  await expect(checkLatch(as('admin'), { clusterId })).rejects.toMatchObject({ code: 'conflict' })
  await expect.poll(() => heard).toContainEqual({ topic: 'clusters', cluster: clusterId, discover: true })
  // However often, and by whomever.
  for (let i = 0; i < 5; i++) await checkLatch(as('viewer'), { clusterId }).catch(() => null)
  const nobodys = randomUUID()
  await expect(checkLatch(as('viewer'), { clusterId: nobodys })).rejects.toMatchObject({ code: 'not-found' })
  await db().$transaction((tx) => announce(tx, { topic: 'clusters', cluster: clusterId, ids: ['the last'] }))
  await expect.poll(() => heard.at(-1)?.ids).toEqual(['the last'])
  expect(heard.filter(({ discover }) => discover)).toHaveLength(1)
  stop()
  await db().managementCluster.delete({ where: { id: clusterId } })
})
