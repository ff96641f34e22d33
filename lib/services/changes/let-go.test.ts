import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { RevisionPair } from '@/lib/domain/changes'
import { as, failure } from '@/testenv/deciding'
import { answeredOtherwise } from './answered'
import { wasApproved } from './let-go'
import { previewDecision } from './preview-decision'

useTestDatabase()

const groupId = randomUUID()
const clusterOf = async () =>
  (await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })).id
let clusterId: string
beforeEach(async () => void (clusterId = await clusterOf()))

async function decided(digest: string, mode: string, pairs: RevisionPair[] = [], id = clusterId) {
  await db().change.create({
    data: {
      ...{ clusterId: id, groupId, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: 'md' },
      ...{ workloadCluster: 'w', fingerprint: digest, digest, state: 'done', summary: '', heldBy: 'latch' },
      ...{ resourceVersion: '1', machines: 1, changeSet: { pairs, fields: [] } as never, outlook: {} },
      decisions: {
        create: { fingerprint: digest, mode, actorId: 'a', actorName: 'Ada', state: 'seen', acceptedAt: new Date() },
      },
    },
  })
}

test('what somebody approved stays approved, whatever was rejected after it', async () => {
  await decided('d1', 'in-place')
  await decided('d2', 'reject')
  expect(await wasApproved(clusterId, groupId, 'd1')).toBe(true)
  expect(await wasApproved(clusterId, groupId, 'd2')).toBe(false)
  expect(await wasApproved(clusterId, randomUUID(), 'd1')).toBe(false)
  // A copy of the cluster answers with the same uids: what was approved there was not approved here.
  await decided('d4', 'replace', [], await clusterOf())
  expect(await wasApproved(clusterId, groupId, 'd4')).toBe(false)
})

test('an answer that Cluster API was given while a date lay ahead is remembered, too', async () => {
  const changes = [{ object: 'machine' as const, path: 'version', current: 'v1', desired: 'v2' }]
  const pair = { from: 'ms1', machines: 3, fingerprint: 'f', changes }
  const dated = { ...pair, later: true as const, certainReplace: 'when that comes' }
  await decided('d3', 'replace', [dated])
  const asked = (of: RevisionPair) =>
    answeredOtherwise({ groupId, groupKind: 'MachineDeployment', pairs: [of] }, 'in-place')
  expect(await asked(pair)).toContain('was approved replacing before')
  expect(await asked(dated)).toContain('was approved replacing before')
  // Once it has passed nobody is asked.
  expect(await asked({ ...pair, certainReplace: 'passed' })).toBeNull()
})

test('the sheet of the other way says so before anybody fills it in', async () => {
  const changes = [{ object: 'machine' as const, path: 'version', current: 'v1', desired: 'v2' }]
  const pair = { from: 'ms2', machines: 3, fingerprint: 'g', changes }
  await decided('d5', 'in-place', [pair])
  await decided('d6', 'reject', [pair])
  const { id: changeId } = await db().change.findFirstOrThrow({ where: { clusterId, digest: 'd6' } })
  await db().change.update({ where: { id: changeId }, data: { outlook: { replace: { deleted: 3 } } } })
  const refused = await failure(previewDecision(as('approver'), { changeId, mode: 'replace' }))
  expect(refused).toMatchObject({ code: 'conflict' })
  expect(refused.message).toContain('was approved in place before')
})
