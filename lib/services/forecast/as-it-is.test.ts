import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { planOf, type Plan } from './plan'
import { waiting, type Made } from './testing/waiting'

useTestDatabase()
const MINUTE = 60_000
const anew = async ({ change }: Made) => (await planOf(change, 'in-place'))!.plan
const moves = (plan: Plan) => plan.moves.map(({ work, machine }) => `${work} ${machine}`)

test('a machine that was chosen, and whose condition does not say so yet, is the one that is being updated', async () => {
  const made = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
  await db().machine.update({ where: { id: made.machines[2] }, data: { machineSet: 'new', state: 'updating' } })
  const plan = await anew(made)
  expect(moves(plan)[0]).toBe('update c')
  expect(plan.frames[0]).toMatchObject({ done: 0, available: 2 })
  expect(plan.moves.filter(({ from }) => from === 0)).toHaveLength(1)
})

test.each(['MachineDeployment', 'KubeadmControlPlane'])(
  'a machine of a %s that was updated, and is not well yet, is not being made: it comes back, for as long as that may take',
  async (kind) => {
    const made = await waiting(['a', 'b', 'c'], { kind, maxSurge: '0', unavailable: '1' })
    const id = made.machines[0]!
    const ill = { ready: false, available: false, state: 'not-ready', createdAt: new Date() }
    await db().machine.update({ where: { id }, data: { ...ill, upToDate: true, machineSet: 'new' } })
    const done = (minutes: number) => {
      const at = new Date(Date.now() - minutes * MINUTE)
      const data = { state: 'done', startedAt: at, finishedAt: at }
      return db().machineProgress.updateMany({ where: { changeId: made.change.id, machineName: 'a' }, data })
    }
    await done(1)
    const plan = await anew(made)
    expect(moves(plan)).toEqual(['update a', 'update b', 'update c'])
    expect(plan).toMatchObject({ returning: ['a'] })
    expect(plan.stalled).toBeUndefined()
    await done(30)
    expect((await anew(made)).stalled).toBeDefined()
  },
)

test('where machines that are not available keep it from going on, it says what the first of them says', async () => {
  const made = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
  const ill = { ready: false, available: false, unhealthy: true, createdAt: new Date(0) }
  const where = { id: { in: made.machines.slice(0, 2) } }
  await db().machine.updateMany({ where, data: ill })
  const stalled = 'Machines that are not available keep it from going on: '
  expect((await anew(made)).stalled).toBe(`${stalled}a and b: what they wait for is not known.`)
  await db().machine.updateMany({ where, data: { sentence: 'Not ready: kubelet stopped posting node status.' } })
  expect((await anew(made)).stalled).toBe(
    `${stalled}a: Not ready: kubelet stopped posting node status. b is not available either.`,
  )
})

test('a machine that another change made or updated, and that is not well since, is not being made', async () => {
  const made = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
  const [id] = made.machines
  const ill = { ready: false, available: false, state: 'not-ready', createdAt: new Date() }
  await db().machine.update({ where: { id }, data: ill })
  expect(moves(await anew(made))).toContain('create a')
  const { clusterId, groupId, groupKind, namespace, groupName, workloadCluster } = made.change
  const before = await db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind, namespace, groupName, workloadCluster, fingerprint: 'g', state: 'reverted' },
      ...{ summary: '', heldBy: 'latch', resourceVersion: '1', machines: 3, changeSet: {}, outlook: {} },
    },
  })
  const at = new Date()
  await db().machineProgress.create({
    data: {
      ...{ changeId: before.id, machineId: id!, machineName: 'a', state: 'done' },
      ...{ startedAt: at, finishedAt: at, throughAt: at },
    },
  })
  // Going back begins with it, and does not wait for it to come up.
  expect(moves(await anew(made))).toEqual(['update a'])
})

test.each(['MachineDeployment', 'KubeadmControlPlane'])(
  'a machine that a change of a %s made, and that fell ill after it was Ready, is not being made any more',
  async (kind) => {
    const made = await waiting(['a', 'b', 'c'], { kind, maxSurge: '1', unavailable: '0' })
    const { change } = made
    const [machineId] = made.machines
    const ill = { ready: false, available: false, state: 'not-ready', createdAt: new Date() }
    const pairs = kind === 'MachineDeployment' ? ['old'] : ['b', 'c']
    const changeSet = {
      pairs: pairs.map((from) => ({ from, machines: 1, fingerprint: from, changes: [] })),
      fields: [],
    }
    await db().machine.update({ where: { id: machineId }, data: { ...ill, upToDate: true, machineSet: 'new' } })
    await db().change.update({ where: { id: change.id }, data: { changeSet } })
    const step = (throughAt: Date | null) =>
      db().machineProgress.updateMany({
        where: { changeId: change.id, machineName: 'a' },
        data: { state: 'created', startedAt: new Date(), throughAt },
      })
    const played = async () => (await planOf({ ...change, changeSet }, 'in-place'))!.plan
    await step(null)
    expect(moves(await played())).toContain('create a')
    await step(new Date())
    const plan = await played()
    expect(moves(plan)).not.toContain('create a')
    expect(plan.frames[0]).toMatchObject({ available: 2 })
    expect(plan).toMatchObject({ ends: null, estimate: null })
  },
)
