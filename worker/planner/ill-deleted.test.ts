import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { NOT_FORETOLD } from '@/lib/domain/changes/by-others'
import type { Verdict } from '@/lib/domain/verdict'
import { storyOf } from '@/lib/services/changes/machine-story'
import type { Prisma } from '@/lib/db/generated/client'
import { said } from '@/testenv/plane'
import { machinesOfChange as aChange } from '@/testenv/machines-of-change'
import { keepBaseline } from './baseline'
import { followMachines, type Going } from './progress'

useTestDatabase()

const GOES = { deleting: true, state: 'deleting' }
const LATER = () => new Date(Date.now() + 1_000)

/** A control plane of three that was let go in place, with what was foretold then. */
async function letGo(inPlace: object, ways: Record<string, Verdict> = {}) {
  const { key, machine, change: detected } = await aChange('KubeadmControlPlane')
  const old = (name: string) =>
    machine(name, ways[name] ?? 'in-place', { upToDate: false, machineSet: null, node: name })
  const ids = new Map<string, string>()
  for (const name of ['a', 'b', 'c']) ids.set(name, (await old(name)).id)
  const comes = async (name: string, createdAt = LATER()) =>
    ids.set(name, (await machine(name, 'up-to-date', { machineSet: null, node: name, ready: true, createdAt })).id)
  const row = (name: string) => db().machineProgress.findFirstOrThrow({ where: { machineId: ids.get(name)! } })
  const is = (name: string, data: object) => db().machine.update({ where: { id: ids.get(name)! }, data })
  const gone = (name: string) => db().machine.delete({ where: { id: ids.get(name)! } })
  const change = async () => {
    const found = await detected()
    await keepBaseline(1n, found.id)
    const said = { fingerprint: 'f', mode: 'in-place', state: 'accepted', actorId: 'ada', actorName: 'Ada' }
    await db().decision.create({ data: { changeId: found.id, ...said, acceptedAt: new Date() } })
    const of = { ...found, startedAt: new Date(), outlook: { inPlace } }
    // A machine that goes is not among what is planned.
    const look = async (going: Going = { inPlace: true }) => {
      const there = await db().machine.findMany({ where: { clusterId: key.clusterId, deleting: false } })
      const planned = there.flatMap(({ name, verdict }) =>
        verdict === 'up-to-date' ? [] : [[name, ways[name] ?? 'in-place'] as const],
      )
      return (await followMachines(key, of, new Map(planned), null, going)).outcome
    }
    await look()
    return look
  }
  const updated = { verdict: 'up-to-date', upToDate: true, updating: false }
  const story = async (name: string) => storyOf(await row(name), null, { unforetold: true }).map(({ text }) => text)
  return { change, comes, is, gone, row, story, updated }
}

const BESIDES = { created: 1, deleted: 1, spare: 1 }

test('as many as were foretold go by the rollout; one more, and what is made for it, was not foretold', async () => {
  const { change, comes, is, gone, row, story, updated } = await letGo(BESIDES)
  const look = await change()
  await comes('spare')
  await look()
  await is('a', GOES)
  expect(await look()).toEqual({ updatedInPlace: 0, created: 1, deleted: 1, deleting: 1, failed: 0 })
  expect(await row('a')).toMatchObject({ wentBy: 'rollout', startedAt: expect.any(Date) as Date })
  await gone('a')
  await comes('more')
  expect(await look()).toEqual({ updatedInPlace: 0, created: 2, deleted: 1, madeUp: 1, failed: 0, unforetold: true })
  for (const now of [{ updating: true }, updated]) {
    await is('b', now)
    await look()
  }
  await is('c', GOES)
  for (const _again of [1, 2])
    expect(await look()).toEqual({
      ...{ updatedInPlace: 1, created: 2, deleted: 2, madeUp: 1, failed: 0 },
      ...{ byOthers: 1, byOthersDeleting: 1, unforetold: true },
    })
  await gone('c')
  for (const _again of [1, 2])
    expect(await look()).toEqual({
      updatedInPlace: 1,
      created: 2,
      deleted: 2,
      byOthers: 1,
      madeUp: 1,
      failed: 0,
      unforetold: true,
    })
  expect(await row('c')).toMatchObject({ wentBy: 'others', startedAt: null })
  expect(await story('c')).toEqual(['c is being deleted, not foretold', 'c: deleted, not foretold'])
})

test.each([
  ['with maxSurge: 0', { created: 1, deleted: 1 }],
  ['before its spare is seen ready', BESIDES],
])(
  'one that can only be replaced goes first, as foretold, and by that the approval has begun: %s',
  async (_, inPlace) => {
    const { change, is, row } = await letGo(inPlace, { a: 'replace' })
    const look = await change()
    await is('a', GOES)
    expect(await look()).toEqual({ updatedInPlace: 0, created: 0, deleted: 1, deleting: 1, failed: 0 })
    expect(await row('a')).toMatchObject({ wentBy: 'rollout', startedAt: expect.any(Date) as Date })
  },
)

test.each<[string, Record<string, Verdict>, 'a' | 'b']>([
  ['of all the same is foretold', {}, 'b'],
  ['the second one was to be replaced', { b: 'replace' }, 'a'],
])('a spare was there before, and none was to be made: %s', async (_, ways, unforetold) => {
  const { change, comes, is, gone, row } = await letGo({ created: 0, deleted: 1, removed: 1 }, ways)
  await comes('spare', new Date(0))
  const look = await change()
  await is('a', GOES)
  expect(await look()).toMatchObject({ created: 0, deleted: 1, deleting: 1 })
  await gone('a')
  await comes('more')
  expect(await look()).toEqual({ updatedInPlace: 0, created: 1, deleted: 1, madeUp: 1, failed: 0, unforetold: true })
  await is('b', GOES)
  expect(await look()).toMatchObject({ created: 1, deleted: 2, byOthers: 1, madeUp: 1 })
  expect(await row(unforetold)).toMatchObject({ wentBy: 'others', startedAt: null })
  expect(await row(unforetold === 'a' ? 'b' : 'a')).toMatchObject({
    wentBy: 'rollout',
    startedAt: expect.any(Date) as Date,
  })
})

const ILL = said({ EtcdMemberHealthy: 'False' }) as unknown as Prisma.InputJsonValue

test.each([
  ['seen ill', true],
  ['of which nothing was seen', false],
])(
  'one that was to be in place and goes first is none of those foretold, once the other one goes: %s',
  async (_, seen) => {
    const { change, comes, is, gone, row, story } = await letGo(BESIDES, { c: 'replace' })
    const look = await change()
    await comes('spare')
    await look()
    if (seen) {
      await is('a', { plane: ILL })
      await look()
      expect(await row('a')).toMatchObject({
        unwell: 'EtcdMemberHealthy is false',
        unwellSince: expect.any(Date) as Date,
      })
    }
    await is('a', { ...GOES, plane: said({ APIServerPodHealthy: 'False' }) as unknown as Prisma.InputJsonValue })
    expect((await look()).byOthers ?? 0).toBe(seen ? 1 : 0)
    await gone('a')
    await comes('more')
    await look()
    await is('c', GOES)
    for (const isThere of [true, false]) {
      if (!isThere) await gone('c')
      for (const _again of [1, 2]) {
        const numbers = { updatedInPlace: 0, created: 2, deleted: 2, byOthers: 1, madeUp: 1, failed: 0 }
        expect(await look()).toEqual({ ...numbers, ...(isThere ? { deleting: 1 } : {}), unforetold: true })
      }
      expect(await row('c')).toMatchObject({ wentBy: 'rollout', startedAt: expect.any(Date) as Date })
      expect(await row('a')).toMatchObject({ wentBy: 'others', startedAt: null, begunBy: null })
    }
    expect(await story('a')).toEqual([
      ...(seen ? ['a was not well from here until it went, as Drydock saw it: EtcdMemberHealthy is false'] : []),
      ...['a is being deleted, not foretold', 'a: deleted, not foretold'],
    ])
    expect((await story('c')).at(-1)).toBe('c: deleted')
  },
)

test('what is well again was not ill when it went', async () => {
  const { change, is, row } = await letGo(BESIDES)
  const look = await change()
  for (const plane of [ILL, said() as unknown as Prisma.InputJsonValue]) {
    await is('a', { plane })
    await look()
  }
  expect(await row('a')).toMatchObject({ unwell: null, unwellSince: null })
})

test('made by the gate-held group before it was let go, a spare is none that was not foretold', async () => {
  const { change, comes } = await letGo({ created: 0, deleted: 1, removed: 1 })
  const look = await change()
  await comes('spare', new Date(Date.now() - 60_000))
  expect(await look()).not.toHaveProperty('madeUp')
})

test('of two that go at once, one goes as was foretold', async () => {
  const { change, comes, is, gone, row } = await letGo(BESIDES)
  const look = await change()
  await comes('spare')
  await look()
  await is('a', GOES)
  await is('b', GOES)
  expect(await look()).toMatchObject({ deleted: 2, deleting: 1, byOthers: 1 })
  await gone('a')
  await gone('b')
  expect(await look()).toMatchObject({ deleted: 2, byOthers: 1 })
  expect([(await row('a')).wentBy, (await row('b')).wentBy].sort()).toEqual(['others', 'rollout'])
})

test.each([
  ['nothing was to be deleted', { created: 0, deleted: 0 }],
  ['its spare is not there yet', BESIDES],
])('nothing begins by one that goes while %s, and its approval can be taken back', async (_, inPlace) => {
  for (const isSeen of [true, false]) {
    const { change, is, gone, row, story } = await letGo(inPlace)
    const look = await change()
    if (isSeen) {
      await is('a', GOES)
      expect(await look()).toMatchObject({ deleted: 1, byOthers: 1, byOthersDeleting: 1 })
    }
    await gone('a')
    expect(await look()).toMatchObject({ deleted: 1, byOthers: 1 })
    expect(await row('a')).toMatchObject({ wentBy: 'others', startedAt: null })
    expect((await story('a')).join()).not.toMatch(/began|by the rollout/)
  }
})

test('what an updater was at, and goes, began to be updated; what was updated and goes was not foretold', async () => {
  const { change, comes, is, story, updated } = await letGo(BESIDES)
  const look = await change()
  await comes('spare')
  await look()
  await is('a', { ...GOES, updating: true })
  await is('b', { updating: true })
  await look()
  expect(await story('a')).toContain('a began to be updated in place')
  await is('b', updated)
  await look()
  await is('b', GOES)
  expect(await look()).toMatchObject({ deleted: 2, byOthers: 2 })
  expect(await story('b')).toContain(`b is being deleted, ${NOT_FORETOLD}`)
})

test('held in the middle, or paused, it deletes none by its rollout', async () => {
  for (const going of [{ heldAt: new Date(0) }, { inPlace: true, paused: true }]) {
    const { change, comes, is, row } = await letGo(BESIDES)
    const look = await change()
    await comes('spare')
    await look()
    await is('a', { ...GOES, deletingSince: new Date() })
    expect(await look(going)).toMatchObject({ deleted: 1, byOthers: 1 })
    expect(await row('a')).toMatchObject({ startedAt: null })
  }
})

test('nor did one begin that goes where nobody approved it, and whose way is planned no more', async () => {
  const { change, is, story } = await letGo({ created: 0, deleted: 0 })
  const look = await change()
  await is('a', GOES)
  expect(await look({})).toMatchObject({ deleted: 1, byOthers: 1 })
  expect((await story('a')).join()).not.toMatch(/began/)
})

test('that nobody can tell who deleted what was not foretold stays with the outcome, also once it is to be replaced', async () => {
  const { change, is } = await letGo({ created: 0, deleted: 0 })
  const look = await change()
  await is('a', GOES)
  expect(await look()).toMatchObject({ byOthers: 1, unforetold: true })
  const { id: changeId } = await db().change.findFirstOrThrow({ orderBy: { detectedAt: 'desc' } })
  const said = { fingerprint: 'f', mode: 'replace', state: 'accepted', actorId: 'bo', actorName: 'Bo' }
  await db().decision.create({ data: { changeId, ...said, acceptedAt: new Date() } })
  expect(await look({ replacing: true })).toMatchObject({ byOthers: 1, unforetold: true })
  await is('b', { ...GOES })
  await db().decision.deleteMany({ where: { changeId, mode: 'in-place' } })
  expect(await look({ replacing: true })).not.toHaveProperty('unforetold')
})
