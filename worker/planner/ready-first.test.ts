import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { changeHulls } from '@/lib/db/queries/hulls'
import { useTestDatabase } from '@/lib/db/testing'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { followSuperseded } from './after-end'
import { keepBaseline } from './baseline'
import { followMachines, type Progress } from './progress'

useTestDatabase()

/** A change that makes a machine, looked at as often as the test says how that machine is. */
async function aNewMachine() {
  const { key, machine, change: detected } = await aChange()
  await machine('old', 'replace')
  const { id: changeId, ...change } = await detected()
  const said = { fingerprint: 'f', mode: 'replace', state: 'voided', actorId: 'ada', actorName: 'Ada' }
  await db().decision.create({ data: { changeId, ...said, acceptedAt: new Date() } })
  await keepBaseline(1n, changeId)
  const startedAt = new Date(Date.now() - 1_000)
  const born = { createdAt: new Date(), machineSet: 'new', state: 'ready', sentence: 'Running' }
  const { id: machineId } = await machine('new', 'up-to-date', born)
  const is = (state: string, sentence: string) =>
    db().machine.updateMany({ where: { id: machineId }, data: { state, sentence } })
  const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId } })
  const looked = async (state: string, sentence = 'Running') => {
    await is(state, sentence)
    const then = { ...change, id: changeId, startedAt }
    const { outcome } = await followMachines(key, then, new Map([['old', 'replace']]), null)
    return { ...(await row()), outcome }
  }
  return { key, changeId, is, looked, row }
}

test('a new machine that was Ready, and is not for a while, keeps when it was ready first: it feeds the estimates', async () => {
  const { looked } = await aNewMachine()
  const first = await looked('ready')
  expect(first).toMatchObject({ state: 'created', finishedAt: expect.any(Date) as Date })
  const silent = await looked('not-ready', 'Its node is silent')
  expect(silent.throughAt).toEqual(first.finishedAt)
  // Meanwhile it is told as made then, and not as what is wrong with it now.
  expect(storyOf(silent as Progress as never).at(-1)).toEqual({
    ...{ at: first.finishedAt, text: 'new: created', tone: 'good' },
  })
  // Nor is it one that is being created.
  expect(silent.outcome).toMatchObject({ created: 1 })
  const hull = (await changeHulls([silent.changeId], 9)).get(silent.changeId)
  expect(hull?.cells?.find(({ name }) => name === 'new')).toMatchObject({ mark: 'not-ready' })
  const again = await looked('ready')
  expect(again).toMatchObject({ finishedAt: first.finishedAt, throughAt: first.throughAt })
})

test('so it does where a newer change takes the place of its own while its node is away', async () => {
  const { key, changeId, is, looked, row } = await aNewMachine()
  const first = await looked('ready')
  await looked('not-ready')
  const { groupId } = await db().change.update({ where: { id: changeId }, data: { state: 'superseded' } })
  await is('ready', 'Running')
  await followSuperseded({ clusterId: key.clusterId, fence: key.fence } as never, groupId)
  expect(await row()).toMatchObject({ finishedAt: first.finishedAt, throughAt: first.throughAt })
})
