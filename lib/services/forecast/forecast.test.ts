import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { COUNTED_WHY } from '../changes/counted'
import { planOf, type Plan } from './plan'
import { systemCtx } from '../context'
import { fidelityOf } from './fidelity'
import { forecastChange } from './forecast-change'
import { foretell } from './foretell'
import { approve, became, spare } from './testing/fared'
import { waiting, type Made } from './testing/waiting'

useTestDatabase()
const MINUTE = 60_000

const forecast = ({ change }: Made) => forecastChange(systemCtx('test'), { id: change.id })
/** Not from what was played a moment ago. */
const anew = async ({ change }: Made) => (await planOf(change, 'in-place'))!.plan
const moves = (plan: Plan | null) => plan?.moves.map(({ work, machine }) => `${work} ${machine}`)

async function approved(names: string[]) {
  const made = await waiting(names)
  await approve(made)
  return made
}

describe('a change played forward from the machines that are there', () => {
  test('both ways, with what the times rest on', async () => {
    const { inPlace, replace, approved } = await forecast(await waiting(['a', 'b', 'c']))
    expect(moves(inPlace)).toEqual(['create m1', 'update a', 'update b', 'delete c'])
    expect(inPlace).toMatchObject({
      updated: 2,
      created: 1,
      deleted: 1,
      floor: 3,
      lowest: 3,
      most: 4,
    })
    expect(inPlace?.basis.update).toEqual({ from: 'guess', machines: 0 })
    expect(inPlace?.estimate?.p50).toBe(inPlace?.ends)
    expect(replace).toMatchObject({ updated: 0, created: 3, deleted: 3 })
    expect(approved).toBeNull()
  })

  test('a control plane', async () => {
    const made = await waiting(['a', 'b', 'c'], { kind: 'KubeadmControlPlane', maxSurge: '0' })
    expect(moves((await forecast(made)).inPlace)).toEqual(['update a', 'update b', 'update c'])
  })

  test('a control plane, in the order of the failure domains that its Cluster lists', async () => {
    const five = ['a', 'b', 'c', 'd', 'e']
    const made = await waiting(five, { kind: 'KubeadmControlPlane', maxSurge: '0' })
    const { clusterId, namespace } = made.change
    for (const [i, failureDomain] of ['z1', 'z1', 'z2', 'z2', 'gone'].entries())
      await db().machine.update({ where: { id: made.machines[i]! }, data: { failureDomain } })
    // Not known what the Cluster lists: those that there are.
    expect(moves(await anew(made))).toEqual(['a', 'c', 'b', 'd', 'e'].map((name) => `update ${name}`))
    const row = { id: randomUUID(), clusterId, namespace, name: 'w', provider: 'cluster-api' }
    await db().workloadCluster.create({ data: { ...row, domains: ['z1', 'z2', 'z3'] } })
    expect(moves(await anew(made))).toEqual(['e', 'a', 'c', 'b', 'd'].map((name) => `update ${name}`))
    await db().workloadCluster.update({ where: { id: row.id }, data: { domains: [] } })
    expect(moves(await anew(made))).toEqual(five.map((name) => `update ${name}`))
  })

  test('a machine marked for deletion goes first, one that is not well is not waited for', async () => {
    const made = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
    await db().machine.update({ where: { id: made.machines[2] }, data: { deleteMarked: true } })
    expect(moves(await anew(made))).toEqual(['update c', 'update a', 'update b'])
    const ill = { ready: false, available: false, unhealthy: true }
    await db().machine.update({ where: { id: made.machines[1] }, data: ill })
    expect(await anew(made)).toMatchObject({
      ends: null,
      stalled: expect.stringMatching(/^b is updated\. Before it is available then, 1 more does not begin;/) as string,
    })
  })

  test.each(['MachineDeployment', 'KubeadmControlPlane'])(
    'of a %s that is under way: a new machine that is not well yet is on its way, and nothing stands still',
    async (kind) => {
      const made = await waiting(['a', 'b', 'c', 'd'], { kind })
      const { clusterId } = made.change
      await db().group.update({ where: { id: made.change.groupId }, data: { desiredReplicas: 3 } })
      const pairs = (kind === 'MachineDeployment' ? ['old'] : ['a', 'b', 'c']).map((from) => ({
        ...{ from, machines: 1, fingerprint: from, changes: [] },
      }))
      await db().change.update({
        where: { id: made.change.id },
        data: { state: 'running', changeSet: { pairs, fields: [] } },
      })
      const young = { createdAt: new Date(Date.now() - 5_000), machineSet: 'new', upToDate: true }
      for (const state of [
        { ready: false, available: false, unhealthy: true, state: 'degraded' },
        { ready: false, available: false, state: 'provisioning', node: null },
        { ready: true, available: false, state: 'ready' },
      ]) {
        await db().machine.updateMany({ where: { clusterId, name: 'd' }, data: { ...young, ...state } })
        const plan = (await planOf({ ...made.change, changeSet: { pairs, fields: [] } as never }, 'replace'))!.plan
        expect(plan.stalled).toBeUndefined()
        expect(moves(plan)).toContain('delete c')
      }
    },
  )

  test.each([
    ['was updated in place', { state: 'done', startedAt: new Date(), finishedAt: new Date() }],
    ['was, as its updaters said a moment ago,', { state: 'updating', startedAt: new Date(), updatersDone: ['os'] }],
  ])('a control plane machine that %s is not to be moved once more', async (_what, data) => {
    const made = await waiting(['a', 'b', 'c'], { kind: 'KubeadmControlPlane', maxSurge: '1' })
    await db().machineProgress.updateMany({ where: { changeId: made.change.id, machineName: 'a' }, data })
    const left = moves(await anew(made))!.filter((move) => !move.startsWith('create'))
    expect(left).not.toContain('update a')
    expect(left.sort()).toEqual(['delete c', 'update b'])
  })

  test('a machine that is still at work on what was wanted before counts once, as what becomes of it', async () => {
    const made = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
    const busy = { machineSet: 'before', updating: true, available: false, ready: false }
    await db().machine.update({ where: { id: made.machines[0] }, data: busy })
    const pairs = ['old', 'before'].map((from) => ({ from, machines: 1, fingerprint: from, changes: [] }))
    const planned = (way: 'in-place' | 'replace') =>
      planOf({ ...made.change, changeSet: { pairs, fields: [] } as never }, way)
    const [inPlace, replace] = [await planned('in-place'), await planned('replace')]
    expect(moves(inPlace!.plan)!.filter((move) => move === 'update a')).toHaveLength(2)
    expect(inPlace).toMatchObject({ plan: { updated: 3, created: 0, deleted: 0 }, deleted: [] })
    expect([...inPlace!.updated].sort()).toEqual(['a', 'b', 'c'])
    expect(replace).toMatchObject({ plan: { updated: 0, created: 3, deleted: 3 }, updated: [] })
  })

  test('what was refused, or is not accepted yet, is nothing that was foretold', async () => {
    const made = await approved(['a', 'b'])
    await db().decision.updateMany({ where: { changeId: made.change.id }, data: { state: 'failed' } })
    expect(await forecast(made)).toMatchObject({ approved: null, inPlace: {}, replace: {} })
    await db().decision.updateMany({
      where: { changeId: made.change.id },
      data: { state: 'recorded', acceptedAt: null },
    })
    expect(await forecast(made)).toMatchObject({ approved: null, inPlace: {}, replace: null })
  })

  test('measured durations of the group, else of its like, make the estimate', async () => {
    const made = await waiting(['a', 'b'], { maxSurge: '0', unavailable: '1' })
    const { id: _, changeSet: __, outlook: ___, outcome: ____, ...rest } = made.change
    const past = await db().change.create({
      data: {
        ...rest,
        wave: undefined,
        shape: undefined,
        state: 'done',
        startedAt: new Date(),
        changeSet: {},
        outlook: {},
      },
    })
    const began = new Date(2026, 0, 1)
    await db().machineProgress.createMany({
      data: [1, 2, 4].map((minutes, i) => ({
        ...{ changeId: past.id, machineId: randomUUID(), machineName: `p${i}`, state: 'done', startedAt: began },
        finishedAt: new Date(began.getTime() + minutes * MINUTE),
      })),
    })
    const inPlace = await anew(made)
    expect(inPlace.basis.update).toEqual({ from: 'group', machines: 3 })
    // They began together: what lies between two is a guess.
    expect(inPlace.basis.gap).toEqual({ from: 'guess', machines: 0 })
    expect(inPlace.ends).toBe(4 * MINUTE + 20_000)
    expect(inPlace.estimate!.p90).toBeGreaterThan(inPlace.estimate!.p50)
    // Held in the middle of it, too: it has begun, though it waits again.
    await db().change.update({ where: { id: past.id }, data: { state: 'waiting', startedAt: null } })
    expect((await anew(made)).basis.update).toEqual({ from: 'group', machines: 3 })
    await db().change.update({ where: { id: past.id }, data: { groupId: randomUUID() } })
    expect((await anew(made)).basis.update).toEqual({ from: 'cluster', machines: 3 })
  })

  test('of what failed, or was accepted as it was, nothing is measured', async () => {
    const made = await waiting(['a', 'b'], { maxSurge: '0', unavailable: '1' })
    const { id: _, changeSet: __, outlook: ___, outcome: ____, ...rest } = made.change
    const more = { wave: undefined, shape: undefined, state: 'done', startedAt: new Date() }
    const past = await db().change.create({ data: { ...rest, ...more, changeSet: {}, outlook: {} } })
    const began = new Date(2026, 0, 1)
    const [at, end] = [5, 10].map((minutes) => new Date(began.getTime() + minutes * MINUTE))
    const row = (machineName: string) => ({
      ...{ changeId: past.id, machineId: randomUUID(), machineName, state: 'done', startedAt: began, finishedAt: end },
    })
    await db().machineProgress.createMany({
      data: [row('well'), row('failed'), { ...row('accepted'), failedAt: new Date(), failedWhy: COUNTED_WHY }],
    })
    const of = { clusterId: past.clusterId, changeId: past.id, hook: 'UpdateMachine', group: 'g', message: 'm' }
    await db().gateCall.createMany({
      data: [
        { ...of, machine: 'failed', answer: 'failed', firstAt: at, lastAt: at },
        { ...of, machine: 'well', answer: 'passed', firstAt: at, lastAt: at },
        { ...of, machine: 'well', answer: 'failed', firstAt: more.startedAt, lastAt: more.startedAt },
      ],
    })
    expect((await anew(made)).basis.update).toEqual({ from: 'guess', machines: 1 })
  })

  test('what lies between one machine and the next is measured, too, and of fewer than three only guessed', async () => {
    const made = await waiting(['a', 'b'], { maxSurge: '0', unavailable: '1' })
    const { id: _, changeSet: __, outlook: ___, outcome: ____, ...rest } = made.change
    const past = await db().change.create({
      data: {
        ...rest,
        wave: undefined,
        shape: undefined,
        state: 'done',
        startedAt: new Date(),
        changeSet: {},
        outlook: {},
      },
    })
    const began = new Date(2026, 0, 1).getTime()
    // 11 s each, 3 s between them; one that was held for an hour in the middle.
    const begins = [0, 14, 28, 42, 3600].map((seconds) => began + seconds * 1_000)
    const row = (at: number, i: number) => ({
      ...{ changeId: past.id, machineId: randomUUID(), machineName: `p${i}`, state: 'done', startedAt: new Date(at) },
      finishedAt: new Date(at + 11_000),
    })
    await db().machineProgress.createMany({ data: begins.slice(0, 2).map(row) })
    const few = await anew(made)
    expect(few.basis).toMatchObject({ update: { from: 'guess', machines: 2 }, gap: { from: 'guess', machines: 1 } })
    expect(few.ends).toBe(28_000)
    await db().machineProgress.createMany({ data: begins.slice(2).map(row) })
    const plan = await anew(made)
    expect(plan.basis).toMatchObject({ update: { from: 'group', machines: 5 }, gap: { from: 'group', machines: 3 } })
    expect(plan.estimate).toMatchObject({ p50: 28_000, p90: 28_000, by: [14_000, 28_000] })
  })

  test('what its updaters call done, and is not what is wanted, is not done; for too long, nobody knows when', async () => {
    const made = await waiting(['a', 'b'], { maxSurge: '0', unavailable: '1' })
    const sentence = 'Running v2, not up to date: its kubelet is v1, and v2 is wanted.'
    const id = made.machines[0]!
    const set = (data: object) => db().machine.update({ where: { id }, data })
    await set({ machineSet: 'new', upToDate: false, sentence })
    const step = { state: 'updating', startedAt: new Date(), updatersDone: ['os'] }
    await db().machineProgress.updateMany({ where: { changeId: made.change.id, machineId: id }, data: step })
    const soon = await anew(made)
    expect(soon).toMatchObject({ behind: ['a'], frames: [{ done: 0 }, { done: 0 }, { done: 1 }] })
    expect(soon.estimate).not.toBeNull()
    await set({ changedAt: new Date(Date.now() - 2 * MINUTE) })
    expect(await anew(made)).toMatchObject({
      ...{ estimate: null, ends: null, moving: 1 },
      stalled: 'a: its updaters are done, but its kubelet is still v1. It ends when that changes.',
    })
    await set({ upToDate: true })
    expect((await anew(made)).behind).toBeUndefined()
  })

  test('what stands still is played anew as soon as more of it is done', async () => {
    const made = await waiting(['a', 'b', 'c'])
    expect((await forecast(made)).replace?.frames[0]).toMatchObject({ done: 0 })
    const where = { changeId: made.change.id, machineId: made.machines[0]! }
    await db().machineProgress.updateMany({ where, data: { state: 'done', finishedAt: new Date() } })
    await db().machine.update({ where: { id: made.machines[0]! }, data: { machineSet: 'new' } })
    expect((await forecast(made)).replace?.frames[0]).toMatchObject({ done: 1 })
  })

  test('a group that is gone has none, and so has a change that never was', async () => {
    const made = await waiting(['a'])
    expect((await forecast(await waiting(['a']))).replace).not.toBeNull()
    await db().group.delete({ where: { id: made.change.groupId } })
    expect(await forecast(made)).toEqual({ inPlace: null, replace: null, notes: [], approved: null })
    await expect(forecastChange(systemCtx('test'), { id: randomUUID() })).rejects.toThrow('no such change')
  })
})

describe('what was foretold, held against what happened', () => {
  const fidelity = (made: Made) => fidelityOf(db(), made.change.id)

  test('all as foretold', async () => {
    const made = await approved(['a', 'b', 'c'])
    await Promise.all([became(made, 'a', 'done'), became(made, 'b', 'done'), became(made, 'c', 'deleted'), spare(made)])
    expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 4 })
    expect((await forecast(made)).approved).toMatchObject({ by: 'Ada', plan: { updated: 2 } })
  })

  test('another one went, and a machine more was made', async () => {
    const made = await approved(['a', 'b', 'c'])
    await Promise.all([
      became(made, 'a', 'deleted'),
      became(made, 'b', 'done'),
      became(made, 'c', 'done'),
      spare(made),
      spare(made),
    ])
    expect(await fidelity(made)).toEqual({ foretold: 5, asForetold: 2 })
  })

  test('stopped in the middle and approved again: each part counts as it was foretold', async () => {
    const made = await approved(['a', 'b', 'c', 'd'])
    await Promise.all([became(made, 'a', 'done'), became(made, 'b', 'done'), spare(made)])
    await db().decision.updateMany({ where: { changeId: made.change.id }, data: { state: 'voided' } })
    // What is left to be done is foretold anew.
    await db().machine.updateMany({
      where: { name: { in: ['a', 'b'] }, clusterId: made.change.clusterId },
      data: { machineSet: 'new' },
    })
    await approve(made)
    await Promise.all([became(made, 'c', 'done'), became(made, 'd', 'deleted'), spare(made)])
    expect(await fidelity(made)).toEqual({ foretold: 5, asForetold: 5 })
  })

  test('what moved before anybody approved it was foretold by nobody, whatever its verdict had been', async () => {
    const made = await waiting(['a', 'b', 'c', 'd'])
    const before = new Date(Date.now() - MINUTE)
    const { id: changeId, clusterId } = made.change
    // Its hold was taken away outside: one was replaced before it was held again.
    await db().machineProgress.updateMany({ where: { changeId }, data: { predicted: 'in-place' } })
    await db().machine.deleteMany({ where: { clusterId, name: 'a' } })
    await db().machine.updateMany({ where: { clusterId, name: 'b' }, data: { machineSet: 'new', createdAt: before } })
    const gone = { state: 'deleted', startedAt: before, finishedAt: before }
    await db().machineProgress.updateMany({ where: { changeId, machineName: 'a' }, data: gone })
    await db().machineProgress.updateMany({
      where: { changeId, machineName: 'b' },
      data: { state: 'created', predicted: null, startedAt: before, finishedAt: before },
    })
    await approve(made)
    const { plan } = (await forecast(made)).approved!
    expect(plan).toMatchObject({ created: 2, updated: 1, deleted: 1 })
    await Promise.all([became(made, 'c', 'done'), became(made, 'd', 'deleted'), spare(made), spare(made)])
    expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 4 })
  })

  test('one that was remediated fared otherwise; the one that was made for it counts no second time', async () => {
    const made = await approved(['a', 'b', 'c'])
    await Promise.all([became(made, 'a', 'deleted'), became(made, 'b', 'done'), became(made, 'c', 'deleted')])
    await Promise.all([spare(made), spare(made)])
    await db().machineProgress.updateMany({
      where: { changeId: made.change.id, machineName: 'a' },
      data: { illAt: new Date(), illBy: 'mhc' },
    })
    expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 3 })
    // That more were made than that is otherwise all the same.
    await spare(made)
    expect(await fidelity(made)).toEqual({ foretold: 5, asForetold: 3 })
  })

  test('of what does not go on by itself nothing is kept, and no number is said that does not hold', async () => {
    const made = await waiting(['a', 'b'])
    await db().group.update({ where: { id: made.change.groupId }, data: { strategy: 'OnDelete' } })
    expect(await foretell(made.change.id, 'replace')).toBeNull()
    const { plan } = (await planOf(made.change, 'replace'))!
    expect(plan).toMatchObject({ moves: [], moving: 0, floor: null, lowest: null, ends: null, estimate: null })
    expect(plan).toMatchObject({
      created: 0,
      deleted: 0,
      stalled: expect.stringMatching(/^Nothing moves by itself/) as string,
    })
  })

  const AFTER = '2099-01-01T00:00:00Z'
  const rule = { object: 'machine', path: 'rollout.after', desired: AFTER }
  const ahead = (from: string, machines: number, changes: object[]) => ({
    ...{ from, machines, fingerprint: from, changes, later: true, certainReplace: 'when that comes' },
    createdAt: new Date(from === 'old' ? 1 : 2).toISOString(),
  })
  const wants = (made: Made, pairs: object[]) => {
    const outlook = { inPlace: null, replace: {}, uncovered: [] }
    const data = { changeSet: { pairs, fields: [] } as never, outlook }
    return db().change.update({ where: { id: made.change.id }, data })
  }

  test('a date that lies ahead moves nothing now: it is played from then on, and nothing is kept of it', async () => {
    const made = await waiting(['a', 'b'])
    await wants(made, [ahead('old', 2, [rule])])
    const { replace } = await forecast(made)
    expect(replace).toMatchObject({ deleted: 2, created: 2, notBefore: AFTER })
    expect(await foretell(made.change.id, 'replace')).toBeNull()
  })

  test('beside other differences it moves none of the machines that have only that', async () => {
    const made = await waiting(['a', 'b', 'c', 'd'])
    const where = { name: { in: ['c', 'd'] }, clusterId: made.change.clusterId }
    await db().machine.updateMany({ where, data: { machineSet: 'new', upToDate: true } })
    const version = { object: 'machine', path: 'version', current: 'v1', desired: 'v2' }
    await wants(made, [ahead('old', 2, [version, rule]), ahead('new', 2, [rule])])
    const foretold = (await foretell(made.change.id, 'replace'))!
    expect(foretold.deleted.sort()).toEqual(['a', 'b'])
    expect(foretold.plan).toMatchObject({ created: 2, deleted: 2 })
    expect(foretold.plan.notBefore).toBeUndefined()
  })

  test('what had nothing to do pads no record; what moved all the same counts against it', async () => {
    const made = await approved(['a', 'b', 'c'])
    await db().machineProgress.updateMany({
      where: { changeId: made.change.id, machineName: { in: ['a', 'b'] } },
      data: { predicted: 'up-to-date', state: 'done' },
    })
    await Promise.all([became(made, 'c', 'deleted'), spare(made)])
    expect(await fidelity(made)).toEqual({ foretold: 2, asForetold: 2 })
    await became(made, 'a', 'deleted')
    expect(await fidelity(made)).toEqual({ foretold: 3, asForetold: 2 })
  })

  test('nobody approved: nothing was foretold', async () => expect(await fidelity(await waiting(['a']))).toBeNull())
})
