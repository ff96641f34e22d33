import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { person } from '@/testenv/timed'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { savePolicy } from '../policies/save-policy'
import { listRuns } from '../waves/list-runs'
import { awaitedNodes } from './awaited-nodes'

useTestDatabase()
const POOL = 'MachineConfigPool'
const ada = person('ada')
const outcome = { counts: { 'in-place': 2 }, created: 0, deleted: 0, headline: '' }

test('of a pool whose nodes all have the configuration, those that are not available are awaited, and nothing else', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'mast', server: '' } })
  const id = randomUUID()
  const about = { id, clusterId, name: 'worker', resourceVersion: '1' }
  await db().configPool.create({ data: { ...about, machines: 2, updated: 2, desiredConfig: 'b', currentConfig: 'a' } })
  await db().group.create({
    data: {
      ...{ ...about, kind: POOL, apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '', governed: true },
      ...{ workloadCluster: 'mast', createdAt: new Date() },
    },
  })
  const node = (name: string, more: { phase: string; unavailable?: boolean; sentence?: string }) =>
    db().configNode.create({
      data: {
        ...{ id: randomUUID(), clusterId, pool: 'worker', name },
        desiredConfig: 'b',
        currentConfig: 'b',
        ...more,
      },
    })
  const says = 'It is not Ready, and counts against maxUnavailable.'
  await node('mast-a', { phase: 'updated' })
  const away = await node('mast-b', { phase: 'updated', unavailable: true, sentence: `Up to date. ${says}` })
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: POOL, namespace: '', groupName: 'worker', workloadCluster: 'mast' },
      ...{ fingerprint: 'f', summary: '3 files', resourceVersion: '1', machines: 2, state: 'running', heldBy: 'latch' },
      ...{ changeSet: { pairs: [], fields: [] }, startedAt: new Date() },
      outlook: {
        only: 'in-place',
        inPlace: outcome,
        replace: outcome,
        uncovered: [],
        pool: { config: 'b', effect: null },
      },
    },
  })
  const awaited = { names: ['mast-b'], says }
  const of = async () => (await awaitedNodes([changeId]))[changeId] ?? null
  expect(await of()).toEqual(awaited)
  expect((await getUpdate(ada, changeId)).awaited).toEqual(awaited)
  expect((await listUpdates(ada, { tab: 'running' })).awaited).toEqual({ [changeId]: awaited })
  await savePolicy(person('cy', 'admin'), {
    name: 'waved',
    spec: { select: { kinds: [POOL] }, waves: [{ name: 'all' }] },
  })
  await db().change.update({ where: { id: changeId }, data: { wish: 'w' } })
  const { runs } = await listRuns(ada)
  expect(runs[0]?.waves.flatMap(({ open }) => open)).toMatchObject([{ at: 'done when mast-b is available again' }])
  const is = (data: object) => db().configNode.update({ where: { id: away.id }, data })
  await is({ phase: 'updating' })
  expect(await of()).toBeNull()
  await is({ phase: 'updated', currentConfig: 'a' })
  expect(await of()).toBeNull()
  await is({ currentConfig: 'b', unavailable: false })
  expect(await of()).toBeNull()
  await is({ unavailable: true })
  await db().configPool.update({ where: { id }, data: { desiredConfig: 'c' } })
  expect(await of()).toBeNull()
})
