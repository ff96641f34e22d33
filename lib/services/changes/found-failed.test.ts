import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '../context'
import { getChange } from './get-change'

useTestDatabase()

test('a machine that failed in a change found under way was made by it only where it was none before', async () => {
  const cluster = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://127.0.0.1:1' } })
  const group = { groupKind: 'MachineDeployment', groupName: 'workers', namespace: 'payments', workloadCluster: 'prod' }
  const of = { clusterId: cluster.id, ...group, resourceVersion: '1' }
  const { id: changeId, detectedAt } = await db().change.create({
    data: {
      ...{ ...of, groupId: randomUUID(), fingerprint: 'a', state: 'running', machines: 1, firstSeen: true },
      ...{ summary: 'v1 → v2', heldBy: 'none', changeSet: { pairs: [], fields: [] } },
      outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
    },
  })
  const ago = (minutes: number) => new Date(detectedAt.getTime() - minutes * 60_000)
  for (const [name, updating, node, createdAt] of [
    ['old', true, 'old', ago(26)],
    // It has its node by now.
    ['new', false, 'new', ago(1)],
  ] as const) {
    const id = randomUUID()
    const is = { provider: 'x', phase: 'Running', state: 'failed', sentence: 'It failed.', error: 'it failed' }
    await db().machine.create({ data: { ...of, ...is, id, name, updating, node, createdAt } })
    const failed = { state: 'failed', startedAt: detectedAt, message: 'It failed.' }
    await db().machineProgress.create({ data: { changeId, machineId: id, machineName: name, ...failed } })
  }
  const { timeline } = await getChange(systemCtx('test'), { id: changeId })
  expect(timeline.filter(({ kind }) => kind === 'machine').map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'old was being updated in place when this was first seen',
      'new was being created when this was first seen',
    ]),
  )
})
