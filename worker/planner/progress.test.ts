import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'
import { writeVerdicts } from './verdicts'

useTestDatabase()

test('what had nothing to do is done and never began, however often it is looked at', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('fine', 'up-to-date')
  const moved = await machine('moved', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  await db().machine.update({ where: { id: moved.id }, data: { verdict: 'up-to-date' } })
  for (const _again of [1, 2, 3]) {
    const { outcome } = await followMachines(key, change, new Map(), null)
    expect(outcome).toMatchObject({ updatedInPlace: 1, created: 0, deleted: 0 })
  }
  const fine = await db().machineProgress.findFirstOrThrow({ where: { machineName: 'fine' } })
  expect(fine).toMatchObject({ state: 'done', startedAt: null })
})

test('held late, and gone since: it is named, though nothing is said to have begun; back again, it waits', async () => {
  const { key, machine, change: detected } = await aChange()
  const going = await machine('going', 'replace', { deleting: true, state: 'deleting' })
  const other = await machine('other', 'replace')
  const change = await detected()
  const rows = async () =>
    (await db().machineProgress.findMany({ where: { changeId: change.id }, orderBy: { machineName: 'asc' } })).map(
      ({ machineName, state, startedAt }) => `${machineName} ${state}${startedAt ? ' began' : ''}`,
    )
  await keepBaseline(1n, change.id, true)
  expect(await rows()).toEqual(['going waiting', 'other waiting'])
  await db().machine.delete({ where: { id: going.id } })
  for (const late of [true, true, false]) {
    await keepBaseline(1n, change.id, late)
    expect(await rows()).toEqual(['going deleted', 'other waiting'])
  }
  const [gone] = await db().machineProgress.findMany({ where: { changeId: change.id, state: 'deleted' } })
  expect(storyOf(gone!)).toMatchObject([{ text: 'going: deleted before its group was held, or meanwhile' }])
  // What comes of it once it is approved counts from there.
  expect((await followMachines(key, change, new Map(), null)).outcome).toMatchObject({ deleted: 0 })
  await db().machine.create({
    data: { ...going, labels: undefined, plane: undefined, joining: undefined, amiss: undefined, deleting: false },
  })
  await keepBaseline(1n, change.id, true)
  expect(await rows()).toEqual(['going waiting', 'other waiting'])
  // Of what was held in its write, whoever goes meanwhile is no part of it.
  await db().machine.delete({ where: { id: other.id } })
  await keepBaseline(1n, change.id)
  expect(await rows()).toEqual(['going waiting'])
})

test('what its health check found ill, and is gone, is told apart from what the rollout deleted', async () => {
  const { key, machine, change: detected } = await aChange()
  const ill = await machine('ill', 'in-place')
  await machine('other', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  await db().machineProgress.updateMany({
    where: { changeId: change.id, machineName: 'ill' },
    data: { state: 'updating', startedAt: new Date(), illAt: new Date() },
  })
  await db().machine.delete({ where: { id: ill.id } })
  const looked = async () => (await followMachines(key, change, new Map(), null)).outcome
  expect(await looked()).toMatchObject({ deleted: 1, remediated: 1 })
  await db().machine.deleteMany({ where: { name: 'other' } })
  expect(await looked()).toMatchObject({ deleted: 2, remediated: 1 })
})

test('where it was approved replacing, a deletion that hangs is its own, also of what could have been updated in place', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('a', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  await db().machine.update({ where: { id }, data: { deleting: true, state: 'deleting', error: 'Cannot evict pod x' } })
  const look = (replacing: boolean) =>
    followMachines(key, change, new Map([['old', 'in-place']]), null, { replacing }).then(({ stuck }) => stuck)
  expect(await look(false)).toBeNull()
  expect(await look(true)).toBe('a: Cannot evict pod x.')
})

test('where it was approved replacing, what is up to date without having moved was not updated in place', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('a', 'replace')
  const change = await detected()
  await keepBaseline(1n, change.id)
  await db().machine.updateMany({ where: { clusterId: key.clusterId }, data: { verdict: 'up-to-date' } })
  const { outcome } = await followMachines(key, change, new Map(), null, { replacing: true })
  expect(outcome).toMatchObject({ updatedInPlace: 0, created: 0, deleted: 0 })
})

test('made while it was let go, and held before anybody had looked: it is new all the same', async () => {
  const { key, machine, change: detected } = await aChange()
  const old = await machine('old', 'replace')
  await machine('fine', 'up-to-date')
  const change = await detected()
  await keepBaseline(1n, change.id)
  const acceptedAt = new Date()
  await db().decision.create({
    data: {
      ...{ changeId: change.id, fingerprint: 'f', mode: 'replace', state: 'voided' },
      ...{ actorId: 'ada', actorName: 'Ada', acceptedAt },
    },
  })
  await machine('new', 'up-to-date', { createdAt: new Date(acceptedAt.getTime() + 1_000), machineSet: 'new' })
  await keepBaseline(1n, change.id)
  await db().machine.delete({ where: { id: old.id } })
  const { outcome } = await followMachines(key, change, new Map([['old', 'replace']]), null, { replacing: true })
  expect(outcome).toMatchObject({ created: 1, updatedInPlace: 0 })
})

test('made while it was let go, and ill before anybody had looked: it has begun', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('old', 'replace')
  const { id: changeId, ...change } = await detected()
  const said = { fingerprint: 'f', mode: 'replace', state: 'voided', actorId: 'ada', actorName: 'Ada' }
  await db().decision.create({ data: { changeId, ...said, acceptedAt: new Date() } })
  const born = { createdAt: new Date(Date.now() + 1_000), machineSet: 'new', error: 'Unhealthy', state: 'not-ready' }
  const { id: machineId } = await machine('new', 'up-to-date', born)
  await keepBaseline(1n, changeId)
  const startedAt = new Date(Date.now() + 60_000)
  await followMachines(key, { ...change, id: changeId, startedAt }, new Map([['old', 'replace']]), null)
  const row = await db().machineProgress.findFirstOrThrow({ where: { machineId } })
  expect(row).toMatchObject({ state: 'failed', startedAt: expect.any(Date) as Date, predicted: null })
})

test('what a machine went through stays on record when it goes', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('m', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  const looked = async (is: object) => {
    await db().machine.updateMany({ where: { id }, data: is })
    await followMachines(key, change, new Map(), null)
    const row = await db().machineProgress.findFirstOrThrow({ where: { changeId: change.id } })
    const { state, startedAt, throughAt, deletingAt, finishedAt } = row
    return { state, startedAt, throughAt, deletingAt, finishedAt }
  }
  const begun = await looked({ updating: true, verdict: 'up-to-date' })
  expect(begun).toMatchObject({ state: 'updating', throughAt: null, deletingAt: null })
  const updated = await looked({ updating: false })
  expect(updated).toEqual({
    ...begun,
    state: 'done',
    throughAt: updated.finishedAt,
    finishedAt: expect.any(Date) as Date,
  })
  const going = await looked({ deleting: true })
  expect(going).toEqual({ ...updated, state: 'deleting', deletingAt: expect.any(Date) as Date, finishedAt: null })
  await db().machine.delete({ where: { id } })
  expect(await looked({})).toEqual({ ...going, state: 'deleted', finishedAt: expect.any(Date) as Date })
})

test('what an updater said when it failed stays until it is asked again', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id, name: machineName } = await machine('m', 'in-place', { updating: true })
  const change = await detected()
  const said = { state: 'failed', updater: 'os-updater', message: 'os-updater says: disk is full.' }
  await db().machineProgress.create({ data: { changeId: change.id, machineId: id, machineName, ...said } })
  const looked = async () => {
    await followMachines(key, change, new Map(), null)
    return db().machineProgress.findFirst({
      where: { changeId: change.id },
      select: { state: true, updater: true, message: true },
    })
  }
  expect(await looked()).toEqual(said)
  await db().machine.update({
    where: { id },
    data: { error: 'UpdateMachine hook failed: please check controller logs for errors' },
  })
  expect(await looked()).toEqual(said)
  await db().machineProgress.updateMany({
    where: { changeId: change.id },
    data: { state: 'updating', message: 'os-updater is at work.' },
  })
  await db().machine.update({ where: { id }, data: { error: null, sentence: 'Updating: in progress' } })
  expect(await looked()).toMatchObject({ state: 'updating' })
})

test('a new machine counts as created when it is up; a substitute of the old revision waits for its own update', async () => {
  const { key, machine, change: detected } = await aChange()
  await machine('old', 'in-place')
  const change = await detected()
  await keepBaseline(1n, change.id)
  const born = { createdAt: new Date(Date.now() + 1_000), upToDate: null }
  const spare = await machine('spare', 'up-to-date', { ...born, machineSet: 'new', state: 'provisioning' })
  const substitute = await machine('substitute', 'up-to-date', { ...born, state: 'provisioning' })
  const looked = async () => {
    const { outcome } = await followMachines(key, change, new Map([['old', 'in-place']]), null)
    const rows = await db().machineProgress.findMany({ where: { changeId: change.id } })
    const of = (id: string) => rows.find(({ machineId }) => machineId === id)
    return { outcome, spare: of(spare.id), substitute: of(substitute.id) }
  }
  const coming = await looked()
  expect(coming.outcome).toMatchObject({ created: 0, updatedInPlace: 0 })
  expect(coming.spare).toMatchObject({ state: 'created', finishedAt: null })
  expect(coming.substitute).toMatchObject({ state: 'waiting', startedAt: null, predicted: null })
  const up = { state: 'ready', upToDate: true }
  await db().machine.update({ where: { id: spare.id }, data: up })
  await db().machine.update({ where: { id: substitute.id }, data: { state: 'ready', upToDate: false } })
  expect(await looked()).toMatchObject({ outcome: { created: 1, updatedInPlace: 0 }, substitute: { state: 'waiting' } })
  await db().machine.update({ where: { id: substitute.id }, data: { updating: true } })
  expect((await looked()).substitute).toMatchObject({ state: 'updating' })
  await db().machine.update({ where: { id: substitute.id }, data: { ...up, updating: false, machineSet: 'new' } })
  const over = await looked()
  expect(over.outcome).toMatchObject({ created: 1, updatedInPlace: 1 })
  // Nobody foretold it: it is no proof either way.
  expect(over.substitute).toMatchObject({ state: 'done', predicted: null })
})

test('a machine whose updaters are done, and whose kubelet stays, is not done and says so', async () => {
  const { key, machine, change: detected } = await aChange()
  const sentence = 'Running v1.33.7, not up to date: its kubelet is v1.33.6, and v1.33.7 is wanted.'
  const { id } = await machine('m', 'up-to-date', { upToDate: false, sentence, machineSet: 'new', ready: true })
  const change = await detected()
  const row = { state: 'updating', updatersDone: ['os-updater'], startedAt: new Date() }
  await db().machineProgress.create({ data: { changeId: change.id, machineId: id, machineName: 'm', ...row } })
  const looked = async () => {
    const { outcome, settled } = await followMachines(key, change, new Map(), null)
    const { message, state } = await db().machineProgress.findFirstOrThrow({ where: { changeId: change.id } })
    return { updated: outcome.updatedInPlace, settled, message, state }
  }
  const words = 'Its updaters are done, but its kubelet is still v1.33.6'
  expect(await looked()).toEqual({ updated: 0, settled: false, message: `${words}.`, state: 'updating' })
  await db().machine.update({ where: { id }, data: { changedAt: new Date(Date.now() - 120_000) } })
  expect((await looked()).message).toBe(`${words}: it is late.`)
  await writeVerdicts(key, new Map(), true)
  expect(await db().machine.findUniqueOrThrow({ where: { id } })).toMatchObject({ verdict: 'in-place' })
})

test.each([true, false].flatMap((paused) => ['goes', 'falls ill', 'is being deleted'].map((what) => [what, paused])))(
  'one to be updated in place that %s has begun nothing (somebody’s own pause: %s)',
  async (what, paused) => {
    const { key, machine, change: detected } = await aChange()
    const old = await machine('old', 'in-place', { upToDate: false })
    const change = await detected()
    const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null, { paused: paused === true })
    await look()
    const where = { id: old.id }
    if (what === 'falls ill') await db().machine.update({ where, data: { error: 'Unhealthy', state: 'not-ready' } })
    if (what === 'is being deleted') await db().machine.update({ where, data: { deleting: true, state: 'deleting' } })
    if (what !== 'falls ill') await look()
    if (what !== 'falls ill') await db().machine.delete({ where })
    await look()
    await look()
    const begun = { changeId: change.id, startedAt: { not: null } }
    expect(await db().machineProgress.count({ where: begun })).toBe(0)
  },
)

test.each([true, false])('but has where it is replaced all the same (its new one comes first: %s)', async (first) => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('old', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null)
  const comes = () => machine('new', 'up-to-date', { createdAt: new Date(Date.now() + 1_000), machineSet: 'new' })
  const goes = () => db().machine.update({ where: { id }, data: { deleting: true, state: 'deleting' } })
  for (const happens of first ? [comes, goes] : [goes, comes, look]) await look().then<unknown>(happens)
  await look()
  expect(await db().machineProgress.count({ where: { changeId: change.id, startedAt: { not: null } } })).toBe(2)
})

test.each([
  ['in-place', true],
  ['replace', true],
  ['in-place', false],
  ['replace', false],
] as const)(
  'one to be updated %s that falls ill and is well again has begun nothing, and waits (its own pause: %s)',
  async (way, paused) => {
    const { key, machine, change: detected } = await aChange()
    // Before 1.12 Cluster API says nothing of being up to date.
    const { id } = await machine('old', way, { upToDate: null })
    const change = await detected()
    const look = () => followMachines(key, change, new Map([['old', way]]), null, { paused })
    const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId: id } })
    await look()
    await db().machine.update({ where: { id }, data: { error: 'Unhealthy', state: 'not-ready' } })
    await look()
    expect(await row()).toMatchObject({ state: 'failed', startedAt: null })
    await db().machine.update({ where: { id }, data: { error: null, state: 'ready' } })
    await look()
    expect(await row()).toMatchObject({ state: 'waiting', startedAt: null })
  },
)

test.each([true, false])(
  'one that had nothing to do, falls ill and is well again has begun nothing (written down while it was held: %s)',
  async (kept) => {
    const { key, machine, change: detected } = await aChange()
    const fine = await machine('fine', 'up-to-date', { machineSet: 'new', upToDate: null })
    await machine('old', 'in-place')
    const change = await detected()
    if (kept) await keepBaseline(1n, change.id)
    const look = async (is: object) => {
      await db().machine.update({ where: { id: fine.id }, data: is })
      await followMachines(key, change, new Map([['old', 'in-place']]), null)
      return db().machineProgress.findFirstOrThrow({ where: { machineId: fine.id } })
    }
    const ill = { error: 'Unhealthy', state: 'not-ready' }
    if (kept) await look({})
    expect(await look(ill)).toMatchObject({ state: 'failed', startedAt: null })
    expect(await look({ error: null, state: 'ready' })).toMatchObject({ state: 'done', startedAt: null })
    // Once more, and all the same what is done to it then has begun.
    await look(ill)
    expect((await look({ updating: true })).startedAt).not.toBeNull()
  },
)

test.each([
  ['is being updated', { updating: true }],
  ['was updated between two looks', { verdict: 'up-to-date', machineSet: 'new' }],
])('one that is ill, stays so, and %s has begun', async (_, is) => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('old', 'in-place', { upToDate: null })
  const change = await detected()
  const look = async (is: object) => {
    await db().machine.update({ where: { id }, data: is })
    await followMachines(key, change, new Map([['old', 'in-place']]), null)
    return db().machineProgress.findFirstOrThrow({ where: { machineId: id } })
  }
  await look({})
  const ill = { error: 'Failed for good', state: 'failed' }
  expect(await look(ill)).toMatchObject({ state: 'failed', startedAt: null })
  expect(await look(ill)).toMatchObject({ state: 'failed', startedAt: null })
  expect(await look(is)).toMatchObject({ state: 'failed', startedAt: expect.any(Date) as Date })
})

test('under that pause an update in place that begins all the same has begun', async () => {
  const { key, machine, change: detected } = await aChange()
  const { id } = await machine('old', 'in-place', { upToDate: false })
  const change = await detected()
  const look = () => followMachines(key, change, new Map([['old', 'in-place']]), null, { paused: true })
  await look()
  await db().machine.update({ where: { id }, data: { updating: true, state: 'updating' } })
  await look()
  expect((await db().machineProgress.findFirstOrThrow({ where: { changeId: change.id } })).startedAt).not.toBeNull()
})

test('it is over when what was updated, or made, was Ready since; what falls ill later, or failed and was accepted, keeps nobody', async () => {
  const { key, machine, change: detected } = await aChange()
  const moved = await machine('moved', 'in-place', { node: 'n1' })
  const change = await detected()
  await keepBaseline(1n, change.id)
  const away = { verdict: 'up-to-date', ready: false, notReadySince: new Date() }
  const is = (data: object) => db().machine.update({ where: { id: moved.id }, data })
  const settled = async (of = change) => (await followMachines(key, of, new Map(), null)).settled
  await is(away)
  expect([await settled(), await settled()]).toEqual([false, false])
  // It counts as failed by its policy, and somebody accepted that.
  await db().machineProgress.updateMany({ data: { failedAt: new Date(1) } })
  expect(await settled({ ...change, failuresFrom: new Date(2) })).toBe(true)
  expect(await settled()).toBe(false)
  await is({ ready: true, notReadySince: null })
  expect(await settled()).toBe(true)
  await is(away)
  expect(await settled()).toBe(true)
  // Nobody says of its node whether it is Ready: that is waited for, and not for ever.
  await db().machineProgress.updateMany({ data: { readyAt: null } })
  await is({ ready: false, notReadySince: null })
  expect(await settled()).toBe(false)
  await db().machineProgress.updateMany({ data: { throughAt: new Date(Date.now() - 21 * 60_000) } })
  expect(await settled()).toBe(true)
  expect((await followMachines(key, change, new Map(), null, { wanted: 1 })).stuck).toBeNull()
})

test('what was coming up with what is wanted when its rollout was found under way was made by it', async () => {
  const { key, machine, change: detected } = await aChange()
  const ago = { createdAt: new Date(Date.now() - 10_000) }
  const spare = await machine('spare', 'up-to-date', { ...ago, machineSet: 'new', state: 'provisioning' })
  await machine('substitute', 'in-place', { ...ago, state: 'provisioning', upToDate: false })
  await machine('fine', 'up-to-date', { machineSet: 'new' })
  const change = { ...(await detected()), startedAt: new Date(), firstSeen: true }
  const look = async () => (await followMachines(key, change, new Map([['old', 'in-place']]), null)).outcome
  const none = { updatedInPlace: 0, created: 0, deleted: 0, failed: 0 }
  expect(await look()).toEqual(none)
  await db().machine.update({ where: { id: spare.id }, data: { state: 'ready', ready: true } })
  for (const _again of [1, 2]) expect(await look()).toEqual({ ...none, created: 1 })
  const begun = { changeId: change.id, startedAt: { not: null } }
  const [row, ...more] = await db().machineProgress.findMany({ where: begun })
  expect(more).toEqual([])
  expect(storyOf(row!, change.detectedAt)[0]!.text).toBe('spare was being created when this was first seen')
})
