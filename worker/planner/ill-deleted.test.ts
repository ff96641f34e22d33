import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PlaneSaid } from '@/lib/domain/control-plane'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines } from './progress'

useTestDatabase()

const said = (status: string, message = ''): PlaneSaid => ({
  ...{ node: 'ready', hook: true },
  parts: [{ type: 'EtcdMemberHealthy', status, message }],
})
const ILL = said('False', 'raft: no leader')
const WORDS = 'EtcdMemberHealthy is false: raft: no leader'
const GOING = { deleting: true, state: 'deleting' }

/** A control plane that was let go in place, and whose machines are not up to date. */
async function letGo({ replacing = false } = {}) {
  const { key, machine, change: detected } = await aChange('KubeadmControlPlane')
  const old = (name: string) =>
    machine(name, 'in-place', { upToDate: false, machineSet: null, node: name, plane: { ...said('True') } })
  const ill = await old('ill')
  await old('other')
  const change = await detected()
  await keepBaseline(1n, change.id)
  const ways = new Map([
    ['ill', 'in-place'],
    ['other', 'in-place'],
  ] as const)
  /** A machine that goes is not among what is planned. */
  const look = async ({ paused = false, planned = true } = {}) =>
    (await followMachines(key, change, planned ? ways : new Map([['other', 'in-place']]), null, { paused, replacing }))
      .outcome
  await look()
  const turns = (data: object) => db().machine.update({ where: { id: ill.id }, data })
  const gone = () => db().machine.delete({ where: { id: ill.id } })
  const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId: ill.id } })
  const story = async () => storyOf(await row()).map(({ text }) => text)
  return { machine, look, turns, gone, row, story }
}

const STORY = [
  `ill is being deleted, as Cluster API does with an old machine that is ill (${WORDS})`,
  'ill: deleted, as Cluster API does with an old machine that is ill',
]

test.each([true, false])(
  'an old control plane machine that is ill goes as Cluster API has it, and is made anew (seen ill before: %s)',
  async (before) => {
    const { machine, look, turns, gone, row, story } = await letGo()
    if (before) {
      await turns({ plane: ILL })
      await look()
      expect(await row()).toMatchObject({ state: 'waiting', unwell: WORDS })
    }
    // Its manager says of each one that goes that it is deleting.
    await turns({ ...GOING, plane: before ? said('False', 'Machine is deleting') : ILL })
    for (const planned of [false, true])
      expect(await look({ planned })).toEqual({ updatedInPlace: 0, created: 0, deleted: 1, ill: 1, failed: 0 })
    expect(await row()).toMatchObject({ wentBy: 'ill', startedAt: expect.any(Date) as Date, unwell: WORDS })
    await gone()
    await machine('new', 'up-to-date', { machineSet: null, ready: true, createdAt: new Date(Date.now() + 1_000) })
    for (const _again of [1, 2])
      expect(await look()).toEqual({ updatedInPlace: 0, created: 1, deleted: 1, ill: 1, madeUp: 1, failed: 0 })
    expect(await story()).toEqual(STORY)
  },
)

test('also gone between two looks, and where what is the matter is told after it began to go', async () => {
  const { look, turns, gone, row, story } = await letGo()
  await turns(GOING)
  await look()
  expect(await row()).toMatchObject({ wentBy: null })
  await turns({ plane: ILL })
  await look()
  expect(await row()).toMatchObject({ wentBy: 'ill' })
  await gone()
  await look()
  expect(await story()).toEqual(STORY)
  const other = await letGo()
  await other.turns({ plane: ILL })
  await other.look()
  await other.gone()
  expect(await other.look()).toMatchObject({ deleted: 1, ill: 1 })
  expect(await other.story()).toEqual(STORY)
})

test.each<[string, (of: Awaited<ReturnType<typeof letGo>>) => Promise<unknown>]>([
  ['it was well', ({ turns }) => turns({ ...GOING, plane: said('False', 'Machine is deleting') })],
  [
    'it was well again',
    async ({ turns, look }) => {
      await turns({ plane: ILL })
      await look()
      await turns({ plane: { ...said('True') } })
      await look()
      await turns(GOING)
    },
  ],
])('a machine that somebody deletes goes not by the rollout: %s', async (_what, deletes) => {
  const of = await letGo()
  await deletes(of)
  expect(await of.look()).toMatchObject({ deleted: 1, byOthers: 1 })
  expect(await of.look()).not.toHaveProperty('ill')
  expect((await of.story()).at(-1)).toBe('ill: deleted, not by the rollout')
})

test('nor does what is ill where its manager stands still, or what was begun by then', async () => {
  const held = await letGo()
  await held.turns({ ...GOING, plane: ILL })
  expect(await held.look({ paused: true })).toMatchObject({ byOthers: 1 })
  const begun = await letGo()
  await begun.turns({ updating: true })
  await begun.look()
  await begun.turns({ ...GOING, plane: ILL })
  expect(await begun.look()).toMatchObject({ byOthers: 1 })
})

test('one that is to be replaced goes by the rollout, ill or not', async () => {
  const { look, turns } = await letGo({ replacing: true })
  await turns({ ...GOING, plane: ILL })
  expect(await look()).toMatchObject({ deleted: 1, deleting: 1 })
  expect(await look()).not.toHaveProperty('ill')
})
