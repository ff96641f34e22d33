import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { COMPONENTS, ETCD_PARTS, type PlaneSaid } from '@/lib/domain/control-plane'
import { storyOf } from '@/lib/services/changes/machine-story'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines, type Going } from './progress'

useTestDatabase()

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const PARTS = [...ETCD_PARTS, ...COMPONENTS]

/** All of its conditions say so, or one part does, since then. */
function said(status: string, { part = '', message = '', since = ago(30), node = 'ready' as PlaneSaid['node'] } = {}) {
  const of = (type: string) => (part === '' || part === type ? { status, message } : { status: 'True', message: '' })
  const parts = PARTS.map((type) => ({ type, ...of(type), since: since.toISOString() }))
  return { ...{ node, hook: true }, parts } satisfies PlaneSaid
}
const WELL = said('True')
const ILL = said('False', { part: 'EtcdMemberHealthy', message: 'raft: no leader' })
const WORDS = 'EtcdMemberHealthy is false: raft: no leader'
/** As its manager says of each one that goes; what was False before stays so since then. */
const goes = (was: PlaneSaid) => ({
  ...{ deleting: true, state: 'deleting', deletingSince: new Date() },
  plane: {
    ...was,
    parts: was.parts.map(({ type, status, since }) => ({
      ...{ type, status: 'False', message: 'Machine is deleting' },
      since: status === 'False' ? since : new Date().toISOString(),
    })),
  },
})

/** A control plane that was let go in place, and whose machines are not up to date. */
async function letGo({ replacing = false, maxSurge = '0' } = {}) {
  const { key, machine, change: detected } = await aChange('KubeadmControlPlane')
  const old = (name: string, more: object = {}) =>
    machine(name, 'in-place', { upToDate: false, machineSet: null, node: name, plane: { ...WELL }, ...more })
  const [ill, other] = [await old('ill'), await old('other')]
  const { clusterId, kind, namespace, name } = key
  await db().group.create({
    data: {
      ...{ id: randomUUID(), clusterId, kind, namespace, name, apiVersion: 'v1beta2', workloadCluster: 'w', maxSurge },
      ...{ desiredReplicas: 2, createdAt: ago(99), resourceVersion: '1' },
    },
  })
  const change = await detected()
  await keepBaseline(1n, change.id)
  /** A machine that goes is not among what is planned. */
  const look = async ({ planned = true, ...going }: Going & { planned?: boolean } = {}) => {
    const ways = [...(planned ? ['ill'] : []), 'other'].map((of) => [of, 'in-place'] as const)
    return (await followMachines(key, change, new Map(ways), null, { replacing, ...going })).outcome
  }
  await look()
  const turn = (id: string) => (data: object) => db().machine.update({ where: { id }, data })
  const gone = () => db().machine.delete({ where: { id: ill.id } })
  const row = () => db().machineProgress.findFirstOrThrow({ where: { machineId: ill.id } })
  const story = async () => storyOf(await row()).map(({ text }) => text)
  const baseline = () => keepBaseline(1n, change.id)
  return { machine, old, look, turns: turn(ill.id), others: turn(other.id), gone, row, story, baseline }
}
type LetGo = Awaited<ReturnType<typeof letGo>>

const STORY = [
  `ill is being deleted, as Cluster API does with an old machine that is ill (${WORDS})`,
  'ill: deleted, as Cluster API does with an old machine that is ill',
]

test('an old control plane machine that alone is ill goes as Cluster API has it, and is made anew', async () => {
  const { machine, look, turns, gone, row, story } = await letGo()
  await turns({ plane: ILL })
  await look()
  expect(await row()).toMatchObject({ state: 'waiting', unwell: WORDS })
  await turns(goes(ILL))
  for (const planned of [false, true])
    expect(await look({ planned })).toEqual({ updatedInPlace: 0, created: 0, deleted: 1, ill: 1, failed: 0 })
  // Its approval can still be taken back: that the rollout deleted it is not known for sure.
  expect(await row()).toMatchObject({ wentBy: 'ill', startedAt: null, unwell: WORDS })
  await gone()
  await machine('new', 'up-to-date', { machineSet: null, ready: true, createdAt: new Date(Date.now() + 1_000) })
  for (const _again of [1, 2])
    expect(await look()).toEqual({ updatedInPlace: 0, created: 1, deleted: 1, ill: 1, madeUp: 1, failed: 0 })
  expect(await row()).toMatchObject({ wentBy: 'ill', startedAt: null })
  expect(await story()).toEqual(STORY)
})

const isIll = async ({ turns, look }: LetGo, plane: PlaneSaid = ILL) => {
  await turns({ plane })
  await look()
}
const UNKNOWN = said('Unknown', { message: 'Remote connection down' })

test.each<[string, (of: LetGo) => Promise<unknown>]>([
  ['it was well', ({ turns }) => turns(goes(WELL))],
  [
    'while its group is paused',
    async (of) => {
      await isIll(of)
      await of.turns(goes(ILL))
      await of.look({ paused: true })
    },
  ],
  [
    'ill only since its group is paused',
    async (of) => {
      await of.turns({ plane: ILL })
      await of.look({ paused: true })
      await of.turns(goes(ILL))
    },
  ],
  [
    'its node alone is not ready',
    async (of) => {
      const plane = said('True', { node: 'not-ready' })
      await isIll(of, plane)
      await of.turns(goes(plane))
    },
  ],
  [
    'two are ill',
    async (of) => {
      await of.others({ plane: ILL })
      await isIll(of)
      await of.turns(goes(ILL))
    },
  ],
  [
    'another one was ill until it went',
    async (of) => {
      await of.others({ plane: ILL })
      await isIll(of)
      await of.others({ plane: WELL })
      await of.turns(goes(ILL))
    },
  ],
  [
    'of all of them nothing is known',
    async (of) => {
      await of.others({ plane: UNKNOWN })
      await isIll(of, UNKNOWN)
      await of.turns(goes(UNKNOWN))
    },
  ],
  [
    'of another one nothing is known',
    async (of) => {
      await of.others({ plane: UNKNOWN })
      await isIll(of)
      await of.turns(goes(ILL))
    },
  ],
  [
    'another one is being updated',
    async (of) => {
      await of.others({ updating: true })
      await isIll(of)
      await of.turns(goes(ILL))
    },
  ],
  [
    'another one goes',
    async (of) => {
      await of.others({ deleting: true, state: 'deleting' })
      await isIll(of)
      await of.turns(goes(ILL))
    },
  ],
  [
    'another one is going by then',
    async (of) => {
      await isIll(of)
      await of.others({ deleting: true, state: 'deleting' })
      await of.turns(goes(ILL))
    },
  ],
  [
    'it was seen well again',
    async (of) => {
      await isIll(of)
      await isIll(of, WELL)
      await of.turns(goes(WELL))
    },
  ],
  [
    'it was well again between two looks',
    async (of) => {
      await isIll(of)
      await of.turns(goes(WELL))
    },
  ],
  [
    'it was held meanwhile',
    async (of) => {
      await isIll(of)
      await of.baseline()
      await of.turns(goes(ILL))
    },
  ],
  [
    'it went long before anybody looked again',
    async (of) => {
      await isIll(of)
      await of.turns({ ...goes(ILL), deletingSince: ago(5) })
    },
  ],
  ['it was not seen ill before it went', ({ turns }) => turns(goes(ILL))],
  [
    'it was gone at once',
    async (of) => {
      await isIll(of)
      await of.gone()
    },
  ],
])('a machine that somebody deletes goes not by the rollout: %s', async (_what, deletes) => {
  const of = await letGo()
  await deletes(of)
  for (const _again of [1, 2]) {
    expect(await of.look()).not.toHaveProperty('ill')
    const row = await of.row()
    expect(row).toMatchObject({ startedAt: null })
    expect(row.wentBy).not.toBe('ill')
  }
  expect((await of.story()).at(-1)).toBe('ill: deleted, not by the rollout')
})

test('with fewer machines than the rollout has at a time Cluster API would have made one first', async () => {
  const fewer = await letGo({ maxSurge: '1' })
  await isIll(fewer)
  await fewer.turns(goes(ILL))
  expect(await fewer.look()).toMatchObject({ byOthers: 1 })
  const all = await letGo({ maxSurge: '1' })
  await all.old('third')
  await isIll(all)
  await all.turns(goes(ILL))
  expect(await all.look()).toMatchObject({ ill: 1 })
})

test('what a health check is found to have had deleted is told as that', async () => {
  const of = await letGo()
  await isIll(of)
  await of.turns(goes(ILL))
  expect(await of.look()).toMatchObject({ deleted: 1, ill: 1 })
  const { machineId } = await of.row()
  await db().machineProgress.updateMany({ where: { machineId }, data: { illAt: new Date(), illBy: 'check' } })
  expect(await of.look()).toMatchObject({ deleted: 1, byOthers: 1, byOthersDeleting: 1 })
})

test('nor does what was begun by then go as ill', async () => {
  const begun = await letGo()
  await begun.turns({ updating: true, plane: ILL })
  await begun.look()
  await begun.turns({ ...goes(ILL), updating: true })
  expect(await begun.look()).toMatchObject({ byOthers: 1 })
})

test('one that is to be replaced goes by the rollout, ill or not', async () => {
  const of = await letGo({ replacing: true })
  await isIll(of)
  await of.turns(goes(ILL))
  expect(await of.look()).toMatchObject({ deleted: 1, deleting: 1 })
  expect(await of.look()).not.toHaveProperty('ill')
})
