import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { poolsHave } from './pools-have'

useTestDatabase()
const [clusterId, groupId, started] = [randomUUID(), randomUUID(), new Date('2026-11-01T08:00:00Z')]

const change = async (wish: string, state: string, detectedAt: Date) => {
  const about = {
    clusterId,
    groupId,
    groupKind: 'MachineConfigPool',
    namespace: '',
    groupName: 'worker',
    summary: wish,
  }
  const more = { workloadCluster: 'tidal', fingerprint: wish, resourceVersion: '1', machines: 3, outlook: {} }
  const fields = [{ object: 'config', path: wish, kind: 'added' }]
  const { id } = await db().change.create({
    data: {
      ...{ ...about, ...more, wish, state, detectedAt, heldBy: 'latch', changeSet: { pairs: [], fields } },
      ...(state === 'done' && { finishedAt: detectedAt }),
    },
  })
  return id
}

test('a pool whose nodes cannot be listed has what it went through only while its operator counts all of them as available', async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'tidal', server: 'https://x' } })
  const named = { clusterId, name: 'worker' }
  const object = { kind: 'MachineConfigPool', apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '' }
  await db().group.create({
    data: { id: groupId, ...named, ...object, workloadCluster: 'tidal', resourceVersion: '1', createdAt: started },
  })
  const pool = { state: 'behind', sentence: '.', machines: 3, resourceVersion: '1' }
  await db().configPool.create({ data: { id: groupId, ...named, ...pool } })
  const done = await change('first', 'done', started)
  const machine = { machineId: randomUUID(), machineName: 'n', state: 'done', startedAt: started }
  await db().machineProgress.create({ data: { changeId: done, ...machine } })
  await change('newer', 'waiting', new Date('2026-11-02T08:00:00Z'))
  const lost = async (counts: { unavailable?: number; degraded?: number }) => {
    await db().configPool.update({ where: { id: groupId }, data: { unavailable: 0, degraded: 0, ...counts } })
    const had = (await poolsHave(db(), [groupId])).get(groupId)!
    expect(had).toMatchObject([{ wish: 'first' }])
    return had[0]!.lost
  }
  expect(await lost({})).toBeUndefined()
  expect(await lost({ unavailable: 1 })).toBe('not all of its nodes are available')
  expect(await lost({ degraded: 1 })).toBe('not all of its nodes are available')
})
