import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { outcomeAgain } from './outcome'
import { followMachines, type Progress } from './progress'
import { soFar } from './so-far'

useTestDatabase()

const NEW = { verdict: 'up-to-date', machineSet: 'new', upToDate: true, ready: true }
const goes = (id: string) => db().machine.update({ where: { id }, data: { deleting: true, state: 'deleting' } })
const rowOf = (machineId: string) => db().machineProgress.findFirstOrThrow({ where: { machineId } })

/** Let go in place, and Cluster API was answered so; so many spares come first. */
async function inPlace(spares: number) {
  const { key, machine, change: detected } = await aChange()
  const old = await machine('old', 'in-place', { upToDate: false })
  const other = await machine('other', 'in-place', { upToDate: false })
  const change = await detected()
  const answer = { hook: 'CanUpdateMachineSet', group: 'fleet/md', answer: 'in-place', message: 'approved in place' }
  await db().gateCall.create({ data: { clusterId: change.clusterId, changeId: change.id, ...answer } })
  await keepBaseline(1n, change.id)
  let of = { ...change, outlook: { inPlace: { counts: {}, created: spares, deleted: spares } } as object }
  const look = async (paused = false) => {
    const { outcome } = await followMachines(key, of, new Map([['old', 'in-place']]), null, { paused })
    of = { ...of, outcome: outcome as never }
    return outcome
  }
  /** What is left of it, once it was held and let go again. */
  const heldAgain = async (more: object) => {
    of = { ...of, outlook: more }
    await db().change.update({ where: { id: change.id }, data: { outlook: more } })
  }
  let born = 0
  const makes = (name: string, is: object = {}) =>
    machine(name, 'up-to-date', { ...NEW, createdAt: new Date(Date.now() + ++born * 1_000), ...is })
  await look()
  return { change, old, other, look, heldAgain, makes }
}

const REMOVES = { inPlace: { counts: {}, created: 0, deleted: 1, removed: 1 } }

test('what others deleted stays that, whatever is left of its change when that is held and let go again', async () => {
  const { change, look, heldAgain, makes } = await inPlace(1)
  const made = await makes('made')
  await look()
  await goes(made.id)
  expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
  await heldAgain(REMOVES)
  expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
  await db().machine.delete({ where: { id: made.id } })
  const outcome = { deleted: 1, byOthers: 1 }
  expect(await look()).toMatchObject(outcome)
  const rows = (await db().machineProgress.findMany({ where: { changeId: change.id } })) as Progress[]
  expect(outcomeAgain({ outlook: REMOVES as never, outcome: null }, rows)).toMatchObject(outcome)
  expect(storyOf(await rowOf(made.id), null, { removes: true }).at(-1)!.text).toBe('made: deleted, not by the rollout')
  expect(await soFar(change.id, [])).toBeUndefined()
})

test('and what its rollout deleted stays that', async () => {
  const { look, heldAgain, makes } = await inPlace(1)
  const made = await makes('made')
  await look()
  await heldAgain(REMOVES)
  await goes(made.id)
  expect(await look()).not.toHaveProperty('byOthers')
  await heldAgain({ inPlace: { counts: {}, created: 0, deleted: 0 } })
  expect(await look()).not.toHaveProperty('byOthers')
})

test('what goes under somebody’s own pause is deleted by others, also when its update goes on before it is gone', async () => {
  const { old, look, makes } = await inPlace(1)
  await makes('spare')
  await look()
  await goes(old.id)
  for (const paused of [true, false, false]) expect(await look(paused)).toMatchObject({ deleted: 1, byOthers: 1 })
})

test('what was made for what others deleted stays that while it is held with more to be made', async () => {
  const { old, look, heldAgain, makes } = await inPlace(0)
  await goes(old.id)
  await makes('instead')
  expect(await look()).toMatchObject({ created: 1, byOthers: 1, madeUp: 1 })
  await heldAgain({ inPlace: { counts: {}, created: 1, deleted: 1 } })
  for (const _again of [1, 2]) expect(await look()).toMatchObject({ created: 1, madeUp: 1 } as Partial<ChangeOutcome>)
})

test.each(['replace', 'in-place', 'in-place-with-spare'])(
  'an old one that goes before a spare is up goes by others, also when that comes up before it is gone (foretold: %s)',
  async (predicted) => {
    const { old, look, makes } = await inPlace(1)
    await db().machineProgress.updateMany({ where: { machineId: old.id }, data: { predicted } })
    const spare = await makes('spare', { state: 'provisioning', ready: false })
    await look()
    await goes(old.id)
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
    await db().machine.update({ where: { id: spare.id }, data: { state: 'ready', ready: true } })
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
    await db().machine.delete({ where: { id: old.id } })
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
    expect(await rowOf(old.id)).toMatchObject({ startedAt: null, wentBy: 'others' })
  },
)

test.each([
  [false, true],
  [true, undefined],
])('gone between two looks, too (a spare was up: %s)', async (up, byOthers) => {
  const { old, look, makes } = await inPlace(1)
  await db().machineProgress.updateMany({ where: { machineId: old.id }, data: { predicted: 'replace' } })
  await makes('spare', up ? {} : { state: 'provisioning', ready: false })
  await look()
  await db().machine.delete({ where: { id: old.id } })
  expect((await look()).byOthers === 1).toBe(byOthers ?? false)
})

test('a spare and what goes for it, both found by one look, are told apart by the next', async () => {
  const { old, look, makes } = await inPlace(1)
  await db().machineProgress.updateMany({ where: { machineId: old.id }, data: { predicted: 'in-place-with-spare' } })
  await makes('spare')
  await goes(old.id)
  await look()
  expect(await rowOf(old.id)).toMatchObject({ wentBy: null })
  expect(await look()).not.toHaveProperty('byOthers')
  expect(await rowOf(old.id)).toMatchObject({ wentBy: 'rollout' })
})

test.each([0, 1])(
  'begun and deleted between two looks, an update is ended by others: nothing is replaced (spares: %i)',
  async (spares) => {
    const { old, look } = await inPlace(spares)
    await db().machine.update({ where: { id: old.id }, data: { deleting: true, state: 'deleting', updating: true } })
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
    expect(await rowOf(old.id)).toMatchObject({ startedAt: expect.any(Date) as Date, wentBy: 'others' })
    await db().machine.delete({ where: { id: old.id } })
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
  },
)

test('where some may be not available, one goes for its spare before that is up', async () => {
  const { change, old, look, makes } = await inPlace(1)
  const { clusterId, groupKind: kind, namespace, groupName: name, workloadCluster } = change
  const rolls = { strategy: 'RollingUpdate', maxSurge: '1', maxUnavailable: '1', desiredReplicas: 2 }
  await db().group.create({
    data: {
      ...{ clusterId, kind, namespace, name, workloadCluster, id: change.groupId, resourceVersion: '1' },
      ...{ apiVersion: 'v1beta2', createdAt: new Date(), ...rolls },
    },
  })
  await db().machineProgress.updateMany({ where: { machineId: old.id }, data: { predicted: 'in-place-with-spare' } })
  await makes('spare', { state: 'provisioning', ready: false })
  await look()
  await goes(old.id)
  expect(await look()).not.toHaveProperty('byOthers')
  expect(await rowOf(old.id)).toMatchObject({ wentBy: 'rollout' })
})

test('a spare that was taken by the one foretold to go is none for the next', async () => {
  const { old, other, look, makes } = await inPlace(1)
  await db().machineProgress.updateMany({ where: { machineId: old.id }, data: { predicted: 'replace' } })
  await makes('spare')
  await look()
  await goes(old.id)
  expect(await look()).not.toHaveProperty('byOthers')
  await goes(other.id)
  expect(await look()).toMatchObject({ deleted: 2, byOthers: 1 })
})

test.each([false, true])('what was going before it was written is no part of it (replacing: %s)', async (replacing) => {
  const { key, machine, change: detected } = await aChange()
  const deletingSince = new Date(Date.now() - 2_820_000)
  const going = await machine('going', 'replace', { deleting: true, state: 'deleting' })
  await db().machine.update({ where: { id: going.id }, data: { deletingSince } })
  await machine('old', 'replace')
  const change = { ...(await detected()), startedAt: new Date() }
  await keepBaseline(1n, change.id)
  await machine('new', 'up-to-date', { ...NEW, createdAt: new Date(Date.now() + 1_000) })
  const look = async () =>
    (await followMachines(key, change, new Map([['old', 'replace']]), null, { replacing })).outcome
  for (const _again of [1, 2]) expect(await look()).toEqual({ updatedInPlace: 0, created: 1, deleted: 0, failed: 0 })
  expect(await rowOf(going.id)).toMatchObject({ startedAt: null, deletingAt: deletingSince, wentBy: 'before' })
  expect(storyOf(await rowOf(going.id))).toEqual([
    { at: deletingSince, text: 'going is being deleted, since before this change', tone: 'plain' },
  ])
  await db().machine.delete({ where: { id: going.id } })
  for (const _again of [1, 2]) expect(await look()).toMatchObject({ deleted: 0 })
  expect(storyOf(await rowOf(going.id)).at(-1)!.text).toBe('going: deleted, since before this change')
})
