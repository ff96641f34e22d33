import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada, timedCluster } from '@/testenv/timed'
import { getChange } from './get-change'

useTestDatabase()
const { at } = timedCluster()

test('approvals of what it wanted before fell away, and its page says whose', async () => {
  const { change } = await at.held()
  const { clusterId, groupId, namespace, groupKind, groupName, workloadCluster, fingerprint, summary } = change
  const of = { clusterId, groupId, namespace, groupKind, groupName, workloadCluster, fingerprint, summary }
  const rest = { changeSet: {}, outlook: {}, heldBy: 'latch', machines: 1, resourceVersion: '1', state: 'superseded' }
  const detectedAt = new Date(change.detectedAt.getTime() - 60_000)
  const older = await db().change.create({ data: { ...of, ...rest, detectedAt, finishedAt: change.detectedAt } })
  const told = async () => {
    const { fellAway, timeline } = await getChange(ada, { id: change.id })
    return { fellAway, said: timeline.some(({ text }) => text.includes('fell away')) }
  }
  expect(await told()).toEqual({ fellAway: null, said: false })
  const approve = (actorName: string, more: object = {}) =>
    db().approval.create({
      data: { ...{ changeId: older.id, fingerprint, mode: 'in-place', actorId: actorName, actorName }, ...more },
    })
  await approve('Ada')
  await approve('Ben')
  await approve('Cy', { endedAt: detectedAt, endedWhy: 'withdrawn' })
  await approve('Di', { begun: true })
  const { fellAway, timeline } = await getChange(ada, { id: change.id })
  expect(fellAway).toEqual({ changeId: older.id, names: ['Ada', 'Ben'] })
  expect(timeline.map(({ text }) => text)).toContain('2 approvals of what it wanted before fell away: Ada and Ben.')
  // Of what had been over for long it took no place.
  await db().change.update({ where: { id: older.id }, data: { finishedAt: detectedAt } })
  expect(await told()).toEqual({ fellAway: null, said: false })
})
