import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { throughNow } from '@/lib/services/changes/steps'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

test.each(['running', 'held midway'])(
  '%s: what it made, and failed for a moment, is created, and counts',
  async (how) => {
    const { key, machine, change: detected } = await aChange()
    const old = await machine('old', 'replace')
    const change = await detected()
    await keepBaseline(1n, change.id)
    const look = async (heldAt: Date | null = null) => {
      // What is followed while it is held goes on from when its first machine was seen to begin.
      const startedAt = heldAt && new Date(heldAt.getTime() - 1_000)
      const going = { replacing: true, heldAt }
      const of = { ...change, startedAt }
      const { outcome } = await followMachines(key, of, new Map([['old', 'replace']]), null, going)
      return { outcome, through: await throughNow(db(), change, false) }
    }
    await db().machine.update({ where: { id: old.id }, data: { deleting: true } })
    expect(await look()).toMatchObject({ outcome: { deleting: 1 }, through: 0 })
    await db().machine.delete({ where: { id: old.id } })
    const born = { createdAt: new Date(), machineSet: 'new', state: 'provisioning', upToDate: null }
    const { id } = await machine('new', 'up-to-date', born)
    const is = (data: object) => db().machine.update({ where: { id }, data })
    const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId: id } })
    expect(await look()).toMatchObject({ outcome: { created: 0, failed: 0 }, through: 0 })
    await is({ state: 'failed', error: 'No node has joined for more than 20 minutes' })
    expect(await look()).toMatchObject({ outcome: { created: 0, failed: 1 }, through: 0 })
    const heldAt = how === 'running' ? null : new Date(Date.now() + 60_000)
    await is({ state: 'provisioning', error: null })
    expect(await look(heldAt)).toMatchObject({ outcome: { created: 0, failed: 0 }, through: 0 })
    expect(await row()).toMatchObject({ state: 'created', finishedAt: null })
    await is({ state: 'ready', ready: true, node: 'new', upToDate: true })
    expect(await look(heldAt)).toMatchObject({ outcome: { created: 1, updatedInPlace: 0, failed: 0 }, through: 1 })
    expect(await row()).toMatchObject({ state: 'created', finishedAt: expect.any(Date) as Date })
    // As it was written before: it is another one in the place of one that is gone all the same.
    await db().machineProgress.updateMany({ where: { machineId: id }, data: { state: 'done' } })
    expect(await throughNow(db(), change, false)).toBe(1)
  },
)

test.each([
  ['was there before', { createdAt: new Date(0) }, {}],
  ['an updater was at', {}, { updatersDone: ['os-updater'] }],
])('but one that %s, and failed, is updated', async (_, is, of) => {
  const { key, machine, change: detected } = await aChange()
  await machine('old', 'in-place')
  const { id, name } = await machine('m', 'up-to-date', { createdAt: new Date(), ...is, machineSet: 'new' })
  const change = await detected()
  const failed = { state: 'failed', startedAt: new Date(), ...of }
  await db().machineProgress.create({ data: { changeId: change.id, machineId: id, machineName: name, ...failed } })
  const { outcome } = await followMachines(key, change, new Map([['old', 'in-place']]), null)
  expect(outcome).toMatchObject({ created: 0, updatedInPlace: 1, failed: 0 })
})
