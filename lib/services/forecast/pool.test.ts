import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { NodeEffect } from '@/lib/domain/pools/effect'
import { systemCtx } from '../context'
import { isAsSaid } from './as-said'
import { fidelityOf } from './fidelity'
import { forecastChange } from './forecast-change'
import { foretell, keepForetold } from './foretell'
import { planOf } from './plan'

useTestDatabase()
const MINUTE = 60_000
const REBOOT: NodeEffect = { does: 'reboot', sure: true }
const headline = 'they would take up a file'

interface Node {
  name: string
  zone?: string | null
  joined?: number
  phase?: string
  unavailable?: boolean
  current?: string
  desired?: string
}

/** A pool of which these nodes are to take up the config b. */
async function pool(nodes: Node[], more: { atOnce?: number | null; effect?: NodeEffect | null; built?: object } = {}) {
  const cluster = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const [clusterId, id] = [cluster.id, randomUUID()]
  const { atOnce = 1, effect = REBOOT, built = { imageMode: 'none' } } = more
  await db().configPool.create({
    data: {
      id,
      clusterId,
      name: 'worker',
      resourceVersion: '1',
      ...{ atOnce, desiredConfig: 'b', currentConfig: 'a' },
      ...built,
    },
  })
  const ids = nodes.map(() => randomUUID())
  await db().configNode.createMany({
    data: nodes.map(
      ({ name, zone = 'z', joined = 0, phase = 'paused', unavailable = false, current = 'a', desired }, i) => ({
        ...{
          id: ids[i]!,
          clusterId,
          pool: 'worker',
          name,
          zone,
          joinedAt: new Date(1_000 * joined),
          phase,
          unavailable,
        },
        ...{ currentConfig: current, desiredConfig: desired ?? current },
      }),
    ),
  })
  const inPlace = { counts: { 'in-place': nodes.length }, created: 0, deleted: 0, headline }
  const change = await db().change.create({
    data: {
      ...{
        clusterId,
        groupId: id,
        groupKind: 'MachineConfigPool',
        groupName: 'worker',
        namespace: '',
        workloadCluster: '',
      },
      ...{ fingerprint: 'f', digest: 'd', state: 'waiting', summary: 's', heldBy: 'latch', resourceVersion: '1' },
      machines: nodes.length,
      changeSet: { pairs: [{ from: 'a', machines: nodes.length, fingerprint: 'f', changes: [] }], fields: [] },
      outlook: {
        only: 'in-place',
        inPlace,
        replace: { ...inPlace, counts: {} },
        uncovered: [],
        pool: { config: 'b', effect },
      } as never,
    },
  })
  await db().machineProgress.createMany({
    data: nodes.map(({ name }, i) => ({
      changeId: change.id,
      machineId: ids[i]!,
      machineName: name,
      state: 'waiting',
    })),
  })
  return { change, ids }
}

const planned = async (...of: Parameters<typeof pool>) => (await planOf((await pool(...of)).change, 'in-place'))!
const turns = async (...of: Parameters<typeof pool>) => (await planned(...of)).plan.moves.map(({ machine }) => machine)

test('a pool is played forward as its operator takes nodes, in one way only', async () => {
  const nodes = [
    { name: 'c', zone: null },
    { name: 'b', joined: 2 },
    { name: 'a', joined: 1 },
    { name: 'd', zone: 'y' },
  ]
  const { change } = await pool(nodes, { atOnce: 2 })
  const { inPlace, replace, notes } = await forecastChange(systemCtx('test'), { id: change.id })
  expect(inPlace?.moves.map(({ machine }) => machine)).toEqual(['d', 'a', 'b', 'c'])
  const [first, second, third] = inPlace!.moves.map(({ from }) => from)
  expect([second === first, third! > second!]).toEqual([true, true])
  expect(inPlace).toMatchObject({
    ...{ updated: 4, created: 0, deleted: 0, floor: 2, lowest: 2 },
    pool: { effect: REBOOT, atOnce: 2, zones: { a: 'z', d: 'y' }, ties: [], stays: [], elsewhere: [] },
  })
  expect([replace, notes]).toEqual([null, []])
})

test('what it says of nodes that are not taken, that are equal, and that come from somewhere else', async () => {
  const { plan } = await planned(
    [
      ...[{ name: 'a' }, { name: 'b' }, { name: 'c', unavailable: true }, { name: 'd', current: 'x', joined: 5 }],
      { name: 'e', phase: 'degraded', unavailable: true },
    ],
    { atOnce: 2 },
  )
  expect(plan.ends).toBeNull()
  expect(plan.stalled).toContain('c is cordoned, not Ready or under pressure')
  expect(plan.pool).toMatchObject({
    stays: [
      { name: 'c', why: 'is cordoned, not Ready or under pressure, and is not chosen' },
      { name: 'e', why: 'is degraded where it is, and takes nothing up before that is mended' },
    ],
    ties: [['a', 'b']],
    elsewhere: ['d'],
  })
})

test('of an image that is not built yet nothing moves, and of rows of another config nothing is foretold', async () => {
  const waits = await planned([{ name: 'a' }], { built: { imageMode: 'built', builtImage: null } })
  expect(waits.plan.stalled).toContain('not built yet')
  expect(await turns([{ name: 'a' }], { built: { imageMode: 'unknown' } })).toEqual(['a'])
  const { change } = await pool([{ name: 'a' }], { built: { desiredConfig: 'c' } })
  expect(await planOf(change, 'in-place')).toBeNull()
})

test('how long it takes is that of nodes before to which the same was done', async () => {
  const { change, ids } = await pool([{ name: 'a' }, { name: 'b', joined: 1 }, { name: 'c', joined: 2 }])
  const basis = async () => (await planOf(change, 'in-place'))!.plan
  expect(await basis()).toMatchObject({ basis: { update: { from: 'guess', machines: 0 } } })
  expect((await basis()).moves[0]).toMatchObject({ from: 10_000, to: 10_000 + 8 * MINUTE })
  const before = async (effect: NodeEffect | null, minutes: number) => {
    const { id: _, ...of } = change
    const outlook = { ...(change.outlook as object), pool: { config: 'a', effect } } as never
    const data = {
      ...of,
      outlook,
      changeSet: change.changeSet as never,
      outcome: undefined,
      state: 'done' as const,
      startedAt: new Date(0),
    }
    const done = await db().change.create({ data: { ...data, fingerprint: randomUUID() } as never })
    await db().machineProgress.createMany({
      data: ids.map((machineId, i) => ({
        ...{ changeId: done.id, machineId, machineName: String(i), state: 'done' },
        startedAt: new Date(i * 20 * MINUTE),
        finishedAt: new Date(i * 20 * MINUTE + minutes * MINUTE),
      })),
    })
  }
  // What was done without a reboot says nothing of it.
  await before({ does: 'none', sure: true }, 1)
  await before(null, 2)
  expect((await basis()).basis.update).toEqual({ from: 'guess', machines: 0 })
  await before(REBOOT, 6)
  const own = await basis()
  expect(own.basis.update).toEqual({ from: 'group', machines: 3 })
  expect(own.moves[0]!.to - own.moves[0]!.from).toBe(6 * MINUTE)
})

test('what was foretold of each node when it was approved is held against what happened', async () => {
  const { change } = await pool([
    { name: 'a' },
    { name: 'b', joined: 1 },
    { name: 'c', phase: 'updated', current: 'b' },
  ])
  const foretold = (await foretell(change.id, 'in-place'))!
  expect(isAsSaid({ counts: { 'in-place': 2, 'up-to-date': 1 }, created: 0, deleted: 0, headline }, foretold)).toBe(
    true,
  )
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: change.id, fingerprint: 'f', mode: 'in-place', actorId: 'a', actorName: 'Ada' },
      ...{ state: 'seen', acceptedAt: new Date() },
    },
  })
  await db().$transaction((tx) => keepForetold(tx, id, change.id, foretold))
  const said = await db().machineProgress.findMany({ where: { changeId: change.id }, orderBy: { machineName: 'asc' } })
  expect(said.map(({ predicted }) => predicted)).toEqual(['in-place', 'in-place', 'up-to-date'])
  const done = { state: 'done', startedAt: new Date(), finishedAt: new Date(Date.now() + MINUTE) }
  await db().machineProgress.updateMany({ where: { changeId: change.id, machineName: 'a' }, data: done })
  await db().machineProgress.updateMany({ where: { changeId: change.id, machineName: 'c' }, data: { state: 'done' } })
  expect(await db().$transaction((tx) => fidelityOf(tx, change.id))).toEqual({ foretold: 2, asForetold: 1 })
  await db().machineProgress.updateMany({ where: { changeId: change.id, machineName: 'b' }, data: done })
  expect(await db().$transaction((tx) => fidelityOf(tx, change.id))).toEqual({ foretold: 2, asForetold: 2 })
  // One that joined since: whoever approved it was shown nothing of it.
  const joined = { changeId: change.id, machineId: randomUUID(), machineName: 'd', predicted: 'in-place', ...done }
  await db().machineProgress.create({ data: joined })
  expect(await db().$transaction((tx) => fidelityOf(tx, change.id))).toEqual({ foretold: 2, asForetold: 2 })
})

test('of an approval that showed no node nothing was foretold, whatever nodes had waited before, or come since', async () => {
  const { change, ids } = await pool([{ name: 'a' }, { name: 'b' }])
  await db().configNode.updateMany({ where: { id: { in: ids } }, data: { pool: '' } })
  const foretold = (await foretell(change.id, 'in-place'))!
  expect(foretold.plan.updated).toBe(0)
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: change.id, fingerprint: 'f', mode: 'in-place', actorId: 'a', actorName: 'Ada' },
      ...{ state: 'seen', acceptedAt: new Date() },
    },
  })
  await db().$transaction((tx) => keepForetold(tx, id, change.id, foretold))
  expect(await db().$transaction((tx) => fidelityOf(tx, change.id))).toBeNull()
  await db().machineProgress.create({
    data: {
      ...{ changeId: change.id, machineId: randomUUID(), machineName: 'c', predicted: 'in-place' },
      ...{ state: 'done', startedAt: new Date(), finishedAt: new Date() },
    },
  })
  expect(await db().$transaction((tx) => fidelityOf(tx, change.id))).toBeNull()
})
