import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeObject } from '@/lib/kubernetes/types'
import { condition, machine, machineConditions } from '@/lib/providers/cluster-api/testing/objects'
import { recordStep } from './gate/progress'
import { Projector } from './project'

useTestDatabase()
const MACHINES = 'machines.cluster.x-k8s.io'
const HOOK_FAILED = 'UpdateMachine hook failed: please check controller logs for errors'

const failing = (): KubeObject => {
  const conditions = machineConditions(condition('Updating', 'True', 'InPlaceUpdateFailed', HOOK_FAILED))
  const object = machine({ phase: 'Updating', name: 'm-1', conditions })
  object.metadata.uid = randomUUID()
  return object
}

async function aCluster() {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now() + interval '1 hour')`,
    [clusterId],
  )
  const errors: unknown[] = []
  const projector = new Projector({
    ...{ pool: pool(), fence: { clusterId, owner: 'me', fence: 1n }, name: 'mc', intervalMs: 10 },
    ...{ lost: () => errors.push('lost'), failed: (error: unknown) => errors.push(error) },
  })
  const object = failing()
  const id = object.metadata.uid
  const seen = async () => {
    void projector.upsert(MACHINES, false, object, Date.now())
    await projector.flushed()
    expect(errors).toEqual([])
    return row()
  }
  const row = async () => {
    const { state, error, sentence, trouble, groupKind, groupName, namespace } = await db().machine.findFirstOrThrow({
      where: { id },
    })
    return { state, error, sentence, trouble, group: { groupKind: groupKind!, groupName: groupName!, namespace } }
  }
  const approved = async (state: string) => {
    const { group } = await row()
    return db().change.create({
      data: {
        ...{ ...group, clusterId, workloadCluster: 'w', groupId: randomUUID(), fingerprint: 'f', state, summary: '' },
        ...{ heldBy: 'latch', resourceVersion: '1', machines: 1, changeSet: {}, outlook: {} },
        decisions: {
          create: { fingerprint: 'f', mode: 'in-place', actorId: 'a', actorName: 'Ada', sentAt: new Date() },
        },
      },
    })
  }
  const says = (changeId: string, state: 'updating' | 'failed') => {
    const subject = { clusterId, namespace: object.metadata.namespace!, machine: 'm-1' }
    return recordStep(changeId, subject, { state, updater: 'u', done: [], message: 'm', retryAfterSeconds: 0 })
  }
  return { seen, row, approved, says, stop: () => projector.stop() }
}

const FAILED = { state: 'failed', error: HOOK_FAILED, trouble: 'in-place-hook-failed' }
const UNCALLED = { state: 'updating', error: null, trouble: 'in-place-not-called' }

test('a machine whose update nobody could be called for did not fail, whoever stopped it meanwhile', async () => {
  const { seen, approved, says, stop } = await aCluster()
  // Whose updater it is, and what that said, Drydock does not know.
  expect(await seen()).toMatchObject(FAILED)
  const { id } = await approved('waiting')
  expect(await seen()).toMatchObject(UNCALLED)
  await says(id, 'updating')
  const { sentence, ...rest } = await seen()
  expect(rest).toMatchObject(UNCALLED)
  expect(sentence).toBe(
    'In the middle of its in-place update to v1.34.0: Cluster API’s call did not get through to its updater, and is repeated.',
  )
  // By the change that it began with, also when that is over.
  await db().change.update({ where: { id }, data: { state: 'superseded' } })
  expect(await seen()).toMatchObject(UNCALLED)
  stop()
})

test('one whose updater said so failed, also where that was after calls that reached nobody', async () => {
  const { seen, row, approved, says, stop } = await aCluster()
  await seen()
  const { id } = await approved('running')
  expect(await seen()).toMatchObject(UNCALLED)
  await says(id, 'failed')
  const { sentence, ...rest } = await row()
  expect(rest).toMatchObject(FAILED)
  // As its own condition is told.
  expect(await seen()).toMatchObject({ ...FAILED, sentence })
  stop()
})
