import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { nodesMovedUnapproved } from '@/lib/services/changes/moved-unapproved'
import { followOvertaken } from './overtaken'

useTestDatabase()

interface Setting {
  change?: object
  node?: object
  progress?: object
  decision?: object
}
const AGO = new Date(Date.now() - 60_000)
const LATER = new Date(Date.now() - 30_000)

/** A change to r1 of a pool with one node, that r2 took the place of a minute ago. */
async function overtaken({ change, node, progress, decision }: Setting = {}) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const [groupId, machineId] = [randomUUID(), randomUUID()]
  const pool = { id: groupId, clusterId, name: 'worker', machines: 1, desiredConfig: 'r2', resourceVersion: '1' }
  await db().configPool.create({ data: pool })
  const of = { clusterId, pool: 'worker', currentConfig: 'r0', desiredConfig: 'r1', phase: 'draining' }
  await db().configNode.create({ data: { ...of, id: machineId, name: 'n1', ...node } })
  const add = async (data: object, state: string, started?: Date) => {
    const { id } = await db().change.create({
      data: {
        ...{ clusterId, groupId, groupKind: 'MachineConfigPool', namespace: '', groupName: 'worker', fingerprint: 'f' },
        ...{ workloadCluster: 'm', state: 'superseded', summary: 's', heldBy: 'latch', resourceVersion: '1' },
        ...{ machines: 1, changeSet: { pairs: [], fields: [] }, outlook: { pool: { config: 'r1' } } },
        ...{ detectedAt: AGO, finishedAt: AGO, ...data },
      },
    })
    const row = { changeId: id, machineId, machineName: 'n1', state, predicted: 'in-place' }
    await db().machineProgress.create({ data: { ...row, startedAt: started ?? null, ...progress } })
    return id
  }
  const id = await add(change ?? {}, 'waiting')
  const by = { changeId: id, fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' }
  if (decision) await db().decision.create({ data: { ...by, state: 'voided', ...decision } })
  const look = async () => {
    await followOvertaken({ clusterId, fence: 1n, name: 'm' }, groupId)
    const row = await db().machineProgress.findFirstOrThrow({ where: { changeId: id } })
    return { ...row, outcome: (await db().change.findUniqueOrThrow({ where: { id } })).outcome }
  }
  const is = (data: object) => db().configNode.update({ where: { id: machineId }, data })
  return { id, look, is, add }
}

test('a node that is seen to have begun only after a newer configuration came counts, and goes on to its end', async () => {
  const at = await overtaken()
  expect(await at.look()).toMatchObject({ state: 'updating', startedAt: AGO, outcome: { begun: 1, unapproved: 1 } })
  expect(await nodesMovedUnapproved(at.id)).toEqual(['n1'])
  await at.is({ currentConfig: 'r1', phase: 'paused' })
  const through = await at.look()
  expect(through).toMatchObject({ state: 'done', outcome: { updatedInPlace: 1, unapproved: 1 } })
  expect(through.outcome).not.toHaveProperty('begun')
  expect(await nodesMovedUnapproved(at.id)).toEqual(['n1'])
})

test('what is told something else by then went through to its end before that', async () => {
  const at = await overtaken()
  await at.look()
  await at.is({ currentConfig: 'r1', desiredConfig: 'r2', phase: 'updating' })
  expect(await at.look()).toMatchObject({ state: 'done', outcome: { updatedInPlace: 1 } })
})

test.each<[string, Setting]>([
  ['an approval let it go', { decision: { sentAt: AGO, acceptedAt: AGO } }],
  ['one was sent, and nobody knows whether the cluster took it', { decision: { sentAt: AGO } }],
  ['nothing was to hold it', { change: { heldBy: 'none' } }],
])('it counts, and is not called unapproved, where %s', async (_, setting) => {
  const at = await overtaken(setting)
  const { state, outcome } = await at.look()
  expect(state).toBe('updating')
  expect(outcome).toMatchObject({ begun: 1 })
  expect(outcome).not.toHaveProperty('unapproved')
  expect(await nodesMovedUnapproved(at.id)).toEqual([])
})

test.each<[string, Setting]>([
  ['it has not begun', { node: { desiredConfig: 'r0', phase: 'paused' } }],
  ['it had it from the start', { progress: { state: 'done' }, node: { currentConfig: 'r1', phase: 'paused' } }],
  ['which configuration that was is not known', { change: { outlook: {} } }],
  ['that was long ago', { change: { finishedAt: new Date(Date.now() - 2 * 3_600_000) } }],
])('a node does not count where %s', async (_, setting) => {
  const at = await overtaken(setting)
  expect(await at.look()).toMatchObject({ startedAt: null, outcome: null })
})

test('the same configuration wanted twice: a node is of the last change that brings it, or of the one by which it began', async () => {
  const again = await overtaken()
  await again.add({ state: 'running', detectedAt: LATER, finishedAt: null }, 'waiting')
  expect(await again.look()).toMatchObject({ startedAt: null })
  const begun = await overtaken({ change: { detectedAt: LATER } })
  await begun.add({ state: 'superseded' }, 'updating', AGO)
  expect(await begun.look()).toMatchObject({ startedAt: null })
})
