import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { person } from '@/testenv/timed'
import { getUpdate } from '../fleet/list-updates'
import { previewSeveral } from './preview-several'

useTestDatabase()

const KIND = 'MachineConfigPool'
const ada = person('ada', 'approver')
const outcome = { counts: { 'in-place': 1 }, created: 0, deleted: 0, headline: '' }
const fingerprint = 'f'.repeat(64)
const about = { id: randomUUID(), name: 'worker', resourceVersion: '1' }
let clusterId: string
let changeId: string

beforeEach(async () => {
  await db().managementCluster.deleteMany()
  clusterId = (await db().managementCluster.create({ data: { name: 'anvil', server: '' } })).id
  const { id, name } = about
  await db().configPool.create({ data: { ...about, clusterId, state: 'behind', paused: true, machines: 1 } })
  await db().group.create({
    data: {
      ...{ ...about, clusterId, kind: KIND, apiVersion: 'machineconfiguration.openshift.io/v1', namespace: '' },
      ...{ workloadCluster: 'anvil', createdAt: new Date(), governed: true, held: 'waiting', heldSince: new Date() },
    },
  })
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: id, groupKind: KIND, namespace: '', groupName: name, workloadCluster: 'anvil' },
      ...{ fingerprint, summary: '3 files', resourceVersion: '1', machines: 1, state: 'waiting', heldBy: 'latch' },
      changeSet: { pairs: [], fields: [] },
      outlook: { only: 'in-place', inPlace: outcome, replace: outcome, uncovered: [] },
    },
  })
  changeId = change.id
})

async function told(mode: 'in-place' | 'reject' = 'in-place') {
  const { rows } = await previewSeveral(ada, { mode, changes: [{ changeId, fingerprint }] })
  return { several: rows.map(({ risks }) => risks), page: (await getUpdate(ada, changeId)).degraded }
}

test('a node that is stuck is said to whoever approves its pool among several', async () => {
  expect(await told()).toEqual({ several: [[]], page: null })
  const node = { clusterId, pool: 'worker', name: 'w-0', phase: 'draining', sentence: 'it does not drain.' }
  await db().configNode.create({ data: { id: randomUUID(), ...node, stuckFrom: new Date(0) } })
  const words = 'A node of its pool is stuck. w-0: it does not drain.'
  expect(await told()).toEqual({ several: [[words]], page: null })
  expect(await told('reject')).toMatchObject({ several: [[]] })
})

test('that its configuration cannot be rendered is said on the page of the change as well', async () => {
  const conditions = [{ type: 'RenderDegraded', status: 'True' }]
  await db().configPool.updateMany({ data: { state: 'degraded', sentence: 'It cannot be rendered: x', conditions } })
  const words = 'Its pool is degraded: It cannot be rendered: x'
  expect(await told()).toEqual({ several: [[words]], page: words })
})

test('what Drydock could not let go is not approved among several either, and its page says why', async () => {
  const lack = { verb: 'patch', group: 'machineconfiguration.openshift.io', resource: 'machineconfigpools', why: '' }
  const discovery = { missingPermissions: [{ ...lack, part: 'openshift-write' }] }
  await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
  const why = (await getUpdate(ada, changeId)).cannotWrite
  expect(why).toContain('may not change machineconfigpools')
  const decided = async (mode: 'in-place' | 'reject') => {
    const { rows, leftOut } = await previewSeveral(ada, { mode, changes: [{ changeId, fingerprint }] })
    return [rows.length, leftOut.map((one) => one.why)]
  }
  expect(await decided('in-place')).toEqual([0, [why]])
  expect(await decided('reject')).toEqual([1, []])
  // Somebody's own pause Drydock does not take away.
  await db().change.update({ where: { id: changeId }, data: { heldBy: 'person' } })
  expect(await decided('in-place')).toEqual([1, []])
})
