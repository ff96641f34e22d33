import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

test('of what was let go and is held again, who goes stays on record, as deleted by others; and so does what was found ill', async () => {
  const { key, machine, change: detected } = await aChange()
  const updated = await machine('updated', 'up-to-date')
  const left = await machine('left', 'in-place', { upToDate: false, machineSet: 'former' })
  await machine('stays', 'in-place', { upToDate: false, machineSet: 'former' })
  const change = await detected()
  await keepBaseline(1n, change.id)
  const said = { fingerprint: 'f', mode: 'in-place', state: 'voided', actorId: 'ada', actorName: 'Ada' }
  await db().decision.create({ data: { changeId: change.id, ...said, acceptedAt: new Date() } })
  await db().machineProgress.updateMany({
    where: { machineId: updated.id },
    data: { state: 'done', startedAt: new Date(), throughAt: new Date() },
  })
  await keepBaseline(1n, change.id)
  await db().machineProgress.updateMany({
    where: { machineId: left.id },
    data: { illAt: new Date(), illBy: 'start-up' },
  })
  await db().machine.delete({ where: { id: left.id } })
  for (const _again of [1, 2]) await keepBaseline(1n, change.id)
  const row = await db().machineProgress.findFirst({ where: { machineId: left.id } })
  expect(row).toMatchObject({
    state: 'deleted',
    startedAt: null,
    illBy: 'start-up',
    finishedAt: expect.any(Date) as Date,
  })
  expect(storyOf(row!).map(({ text }) => text)).toEqual([
    'left was found ill by the health check start-up',
    'left: deleted, not by the rollout',
  ])
  const held = await db().change.findUniqueOrThrow({ where: { id: change.id } })
  expect(held.outcome).toMatchObject({ updatedInPlace: 1, deleted: 1, byOthers: 1 })
  const { outcome } = await followMachines(key, change, new Map([['former', 'in-place']]), null)
  expect(outcome).toMatchObject({ updatedInPlace: 1, deleted: 1, byOthers: 1 })
})

test('found ill while it waited, in a group that was never let go: it stays on record when it goes', async () => {
  const { machine, change: detected } = await aChange()
  const ill = await machine('ill', 'in-place')
  const other = await machine('other', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  await db().machineProgress.updateMany({ where: { machineId: ill.id }, data: { illAt: new Date() } })
  await db().machine.deleteMany({ where: { id: { in: [ill.id, other.id] } } })
  await keepBaseline(1n, change.id)
  const rows = await db().machineProgress.findMany({ where: { changeId: change.id } })
  expect(rows.map(({ machineName, state }) => `${machineName} ${state}`)).toEqual(['ill deleted'])
})

test('found ill before its turn, it is not deleted by a rollout in place, though another one was made', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('old', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null)
  await look()
  await db().machineProgress.updateMany({ where: { machineId: id }, data: { illAt: new Date() } })
  await machine('new', 'up-to-date', { createdAt: new Date(Date.now() + 1_000), machineSet: 'new' })
  await look()
  await db().machine.update({ where: { id }, data: { deleting: true, state: 'deleting' } })
  expect((await look()).outcome).toMatchObject({ deleted: 1, byOthers: 1 })
  await db().machine.delete({ where: { id } })
  expect((await look()).outcome).toMatchObject({ deleted: 1, byOthers: 1, created: 1, madeUp: 1 })
})

test('what it was found before it began says nothing of what began', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('old', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null)
  await look()
  await db().machineProgress.updateMany({ where: { machineId: id }, data: { illAt: new Date(0), illBy: 'c' } })
  await db().machine.update({ where: { id }, data: { updating: true } })
  await look()
  expect(await db().machineProgress.findFirst({ where: { machineId: id } })).toMatchObject({ illAt: null, illBy: null })
})

describe('answered that it may go in place', () => {
  async function inPlace(spares: number) {
    const { key, machine, change: detected } = await aChange()
    const old = await machine('old', 'in-place', { upToDate: false })
    await machine('other', 'in-place', { upToDate: false })
    const change = await detected()
    const { clusterId } = change
    const answer = { hook: 'CanUpdateMachineSet', group: 'fleet/md', answer: 'in-place', message: 'approved in place' }
    await db().gateCall.create({ data: { clusterId, changeId: change.id, ...answer } })
    await keepBaseline(1n, change.id)
    const of = { ...change, outlook: { inPlace: { created: spares } } }
    const look = () => followMachines(key, of, new Map([['old', 'in-place']]), null).then(({ outcome }) => outcome)
    await look()
    const makes = () =>
      machine('made', 'up-to-date', { createdAt: new Date(Date.now() + 1_000), machineSet: 'new', upToDate: true })
    const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId: old.id } })
    return { old, look, makes, row }
  }

  test.each(['seen going', 'gone between two looks'])(
    'what somebody deletes is not deleted by the rollout, though another one is made in its place: %s',
    async (how) => {
      const { old, look, makes, row } = await inPlace(0)
      if (how === 'seen going') {
        await db().machine.update({ where: { id: old.id }, data: { deleting: true, state: 'deleting' } })
        expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
      }
      await db().machine.delete({ where: { id: old.id } })
      await makes()
      for (const _again of [1, 2]) expect(await look()).toMatchObject({ created: 1, deleted: 1, byOthers: 1 })
      expect(storyOf(await row()).at(-1)!.text).toBe('old: deleted, not by the rollout')
    },
  )

  test('what goes for a spare that came first is', async () => {
    const { old, look, makes, row } = await inPlace(1)
    await makes()
    await look()
    await db().machine.update({ where: { id: old.id }, data: { deleting: true, state: 'deleting' } })
    await look()
    await db().machine.delete({ where: { id: old.id } })
    for (const _again of [1, 2]) expect(await look()).not.toHaveProperty('byOthers')
    expect(storyOf(await row()).at(-1)!.text).toBe('old: deleted')
  })
})

test.each(['updated', 'up to date from the start'])(
  'one that was %s and goes is not deleted by the rollout, nor is the one created that makes up for it',
  async (what) => {
    const { key, machine, change: detected } = await aChange()
    const old = await machine('old', 'in-place', { upToDate: false })
    const fine = await machine('fine', 'up-to-date', { machineSet: 'new' })
    const change = await detected()
    await keepBaseline(1n, change.id)
    const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null).then(({ outcome }) => outcome)
    await look()
    const done = { verdict: 'up-to-date', upToDate: true, updating: false, machineSet: 'new', ready: true }
    for (const is of [{ updating: true }, done]) {
      await db().machine.update({ where: { id: old.id }, data: is })
      await look()
    }
    const { id } = what === 'updated' ? old : fine
    await db().machine.update({ where: { id }, data: { deleting: true, state: 'deleting' } })
    const updatedInPlace = what === 'updated' ? 0 : 1
    expect(await look()).toEqual({
      ...{ updatedInPlace, created: 0, deleted: 1, failed: 0 },
      ...{ byOthers: 1, byOthersDeleting: 1 },
    })
    await machine('instead', 'up-to-date', { createdAt: new Date(Date.now() + 1_000), machineSet: 'new' })
    await db().machine.delete({ where: { id } })
    for (const _again of [1, 2])
      expect(await look()).toEqual({ updatedInPlace, created: 1, deleted: 1, byOthers: 1, madeUp: 1, failed: 0 })
    const row = await db().machineProgress.findFirstOrThrow({ where: { machineId: id } })
    expect(storyOf(row).at(-1)!.text).toBe(`${row.machineName}: deleted, not by the rollout`)
  },
)

test('with fewer wanted in the same write, what was updated and goes is deleted by the rollout', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('m', 'in-place', { upToDate: false })
  const change = { ...(await detected()), outlook: { replace: { removed: 1 } } }
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null).then(({ outcome }) => outcome)
  await look()
  const done = { verdict: 'up-to-date', upToDate: true, updating: false, machineSet: 'new' }
  for (const data of [{ updating: true }, done, { deleting: true, state: 'deleting' }]) {
    await db().machine.update({ where: { id }, data })
    await look()
  }
  expect(await look()).toEqual({ updatedInPlace: 0, created: 0, deleted: 1, deleting: 1, failed: 0 })
})

test('nor is one that goes in the middle of an update that needs no spare', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('m', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null).then(({ outcome }) => outcome)
  for (const data of [{}, { updating: true }, { deleting: true, state: 'deleting' }]) {
    await db().machine.update({ where: { id }, data })
    await look()
  }
  const others = { byOthers: 1, byOthersDeleting: 1 }
  expect(await look()).toEqual({ updatedInPlace: 0, created: 0, deleted: 1, ...others, failed: 0 })
})

test('nor is one that was moved, and goes without its mark, before anybody looked again', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('m', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null).then(({ outcome }) => outcome)
  await look()
  const going = { machineSet: 'new', upToDate: true, updating: false, deleting: true, state: 'deleting' }
  await db().machine.update({ where: { id }, data: going })
  expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
})

test('nor is one that has begun, and goes, in the very first look', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('m', 'in-place', { upToDate: false, updating: true, deleting: true, state: 'deleting' })
  const { outcome } = await followMachines(key, await detected(), new Map([['old', 'in-place']]), null)
  expect(outcome).toMatchObject({ deleted: 1, byOthers: 1 })
})
