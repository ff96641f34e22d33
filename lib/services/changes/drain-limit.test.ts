import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, latchedCluster } from '@/testenv/deciding'
import { previewDecision } from './preview-decision'

useTestDatabase()

const approver = as('approver')
const at = latchedCluster()

test('that a drain is given up, and pods are cut off, is said before: by the group, or by what its policy has written to it', async () => {
  const held = await at.held()
  const said = async () =>
    (await previewDecision(approver, { changeId: held.change.id, mode: 'replace' })).irreversible.join(' ')
  const where = { id: held.change.groupId }
  await db().group.update({ where, data: { drainSeconds: 600 } })
  expect(await said()).toContain('A drain is given up after 10m: pods that are still on the node by then')
  const spec = { select: { names: [held.name] }, drainTimeout: '15m' }
  const { id } = await db().rolloutPolicy.create({ data: { name: held.name, spec } })
  expect(await said()).toContain('A drain is given up after 15m')
  // It could not be written: the group is as it is.
  const stuck = { of: 'drain time-out 15m', wrote: null, at: null, resourceVersion: null, trouble: 'no', stuck: true }
  await db().change.update({ where: { id: held.change.id }, data: { shape: stuck } })
  expect(await said()).toContain('A drain is given up after 10m')
  await db().rolloutPolicy.update({ where: { id }, data: { spec: { ...spec, drainTimeout: 'never' } } })
  expect(await said()).not.toContain('drain')
  await db().rolloutPolicy.delete({ where: { id } })
})
