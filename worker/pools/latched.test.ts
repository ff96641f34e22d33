import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { checkLatch } from '@/lib/services/latch/check-latch'
import { poolsHeldNow } from '@/lib/services/latch/held-by'
import { installLatch } from '@/lib/services/latch/install-latch'
import { previewLatch } from '@/lib/services/latch/preview-latch'
import { removeLatch } from '@/lib/services/latch/remove-latch'
import { listRuns } from '@/lib/services/waves/list-runs'
import { as, failure } from '@/testenv/deciding'
import { startApplier } from '../applier'
import { startGate, type Gate } from '../gate'
import { log } from '../log'
import type { Worker } from '../worker'
import { follow, GovernedPools, policy, until } from '@/testenv/governed-pools'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let gate: Gate
let one: GovernedPools
let two: GovernedPools
let worker: Worker | null

const install = (at: GovernedPools) =>
  installLatch(as('admin'), {
    clusterId: at.clusterId,
    governs: 'all',
    pools: 'same-write',
    webhookUrl: `${gate.url}/latch`,
  })

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  one = await GovernedPools.start('anker')
  two = await GovernedPools.start('boje')
  worker = await follow()
  for (const at of [one, two]) {
    await until(
      'its pools',
      async () => (await db().group.count({ where: { clusterId: at.clusterId, kind: 'MachineConfigPool' } })) === 2,
    )
    expect((await install(at)).status).toMatchObject({ state: 'intact', proved: true })
    await at.governed()
  }
})
afterAll(async () => {
  await worker?.stop()
  await gate?.stop()
  await closeClients()
  for (const at of [one, two]) await at?.stop()
})
afterEach(() => db().rolloutPolicy.deleteMany({}))

test('what installing means is said before, and somebody chooses', async () => {
  const said = await previewLatch(as('viewer'), { clusterId: two.clusterId, governs: 'all' })
  expect(said.form).toBe('webhook')
  expect(said.objects.map(({ name }) => name)).toEqual([
    ...[
      'drydock-guard-machineconfigpools',
      'drydock-guard-machineconfigpools',
      'drydock-guard-latch',
      'drydock-guard-latch',
    ],
    'drydock-machineconfigpools',
  ])
  expect(said.strength.join(' ')).toMatch(
    /same write.*gate cannot be reached, the operator cannot give.*master and arbiter are never held/s,
  )
  expect(
    await failure(previewLatch(as('viewer'), { clusterId: two.clusterId, governs: 'namespace-label', labelKey: 'a' })),
  ).toMatchObject({
    code: 'invalid',
  })
})

test('latched where nobody chose how, that is what was chosen from the next look on, and what is said of them', async () => {
  const { clusterId } = two
  await db().policy.update({ where: { clusterId }, data: { pools: null } })
  const stored = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId }, include: { policy: true } })
  await checkLatch(as('viewer'), { clusterId })
  expect((await stored()).policy).toMatchObject({ pools: 'same-write' })
  expect(poolsHeldNow(await stored())).toBe('same-write')
})

test('held in the same write: no node is told before somebody approves it', async () => {
  await one.render('rendered-worker-a')
  expect(one.isHeld()).toBe(true)
  expect(one.pool().metadata.annotations).toMatchObject({
    [HELD]: 'Waiting for approval in Drydock: to rendered-worker-a',
    [POOL_PAUSED]: 'drydock',
  })
  const waits = await one.waits('rendered-worker-a')
  expect(waits).toMatchObject({ machines: one.nodes().length, heldBy: 'latch' })
  expect(one.told('rendered-worker-a')).toEqual([])
  const master = await one.render('rendered-master-a', 'master').then(() => one.pool('master'))
  expect(master.spec?.paused).toBe(false)
  // Only Drydock may resume it, or take away what says that it is held.
  const taken: JsonObject[] = [{ spec: { paused: false } }, { metadata: { annotations: { [HELD]: null } } }]
  for (const body of taken)
    expect(
      (await failure(one.write('worker', body, { user: 'kim', groups: ['admins'], fieldManager: 'kubectl' }))).message,
    ).toContain('only Drydock may resume it')
  // What is released, and rolls, is held again by a newer one, in the same write.
  expect(await one.approve(waits)).toMatchObject({ state: 'accepted' })
  await one.change('running')
  await one.render('rendered-worker-b')
  expect(one.isHeld()).toBe(true)
  expect(one.told('rendered-worker-b')).toEqual([])
  const next = await one.waits('rendered-worker-b')
  expect(await db().change.findUnique({ where: { id: waits.id } })).toMatchObject({ state: 'superseded' })
  await one.approve(next)
  await one.change('done')
})

test('killed between the decision and its effect: another worker makes it, once', async () => {
  await one.render('rendered-worker-c')
  const { id, fingerprint } = await one.waits('rendered-worker-c')
  await worker?.stop()
  worker = null
  // What the verb leaves behind when its process dies right after its transaction.
  const decision = randomUUID()
  const who = { actorId: 'ada', actorName: 'Ada', recordedAt: new Date(Date.now() - 60_000) }
  await db().decision.create({ data: { id: decision, changeId: id, fingerprint, mode: 'in-place', ...who } })
  await db().change.update({ where: { id }, data: { state: 'approved' } })
  expect(one.isHeld()).toBe(true)
  worker = await follow()
  const second = await follow()
  const applier = startApplier({ owner: 'w2', log })
  try {
    await until('the pool to be let go', async () => !one.isHeld())
    expect(await one.change('done')).toMatchObject({ id })
    const accepted = { targetId: id, action: 'decision.accepted' }
    expect(await db().auditEvent.count({ where: accepted })).toBe(1)
    expect(
      await db().change.count({
        where: { clusterId: one.clusterId, groupName: 'worker', state: { in: ['waiting', 'running'] } },
      }),
    ).toBe(0)
  } finally {
    await applier.stop()
    await second.stop()
  }
})

test('waves go over the pools of both clusters', async () => {
  const waves = [
    { name: 'first', select: { clusters: ['anker'] } },
    { name: 'then', select: { clusters: ['boje'] } },
  ]
  await policy({ waves })
  for (const at of [one, two]) await at.render('rendered-worker-w', 'worker', 'the same for both')
  const [first, then] = [await one.waits('rendered-worker-w'), await two.waits('rendered-worker-w')]
  expect(then.wish).toBe(first.wish)
  await until('both to be placed', async () => {
    const rows = await db().change.findMany({ where: { id: { in: [first.id, then.id] } } })
    return rows.every(({ wave }) => wave !== null)
  })
  expect(await two.approve(then)).toMatchObject({ timing: { open: false, why: 'wave' } })
  expect(two.isHeld()).toBe(true)
  await one.approve(first)
  await one.change('done')
  // Without anybody's word the next wave goes when the first is through.
  expect(await two.change('done')).toMatchObject({ id: then.id })
  const { runs } = await listRuns(as('viewer'))
  expect(JSON.stringify(runs)).toContain('anker')
})

test('a pool that went through and wants something newer keeps no later wave waiting', async () => {
  const waves = [
    { name: 'first', select: { clusters: ['anker'] } },
    { name: 'then', select: { clusters: ['boje'] } },
  ]
  await policy({ waves })
  for (const at of [one, two]) await at.render('rendered-worker-v', 'worker', 'newer for both')
  await one.approve(await one.waits('rendered-worker-v'))
  await one.change('done')
  // Of the same file, whose contents are not shown, nobody could say that it brings nothing back.
  await one.render('rendered-worker-v2', 'worker', 'something else', '4.22.4', '/etc/issue')
  await one.waits('rendered-worker-v2')
  const then = await two.waits('rendered-worker-v')
  await two.approve(then)
  expect(await two.change('done')).toMatchObject({ id: then.id })
  expect(await one.change('waiting')).toMatchObject({ state: 'waiting' })
})

const OTHER = '/etc/NetworkManager/conf.d/u.conf'

test('a pool that went through and is to be rid of that since is named to whoever waits for its wave, with why', async () => {
  const waves = [
    { name: 'first', select: { clusters: ['anker'] } },
    { name: 'then', select: { clusters: ['boje'] } },
  ]
  await policy({ waves })
  await one.approve(await one.waits('rendered-worker-v2'))
  await one.change('done')
  for (const at of [one, two]) await at.render('rendered-worker-u', 'worker', 'one more for both', '4.22.4', OTHER)
  const then = await two.waits('rendered-worker-u')
  await one.approve(await one.waits('rendered-worker-u'))
  await one.change('done')
  await one.point('rendered-worker-v2')
  await one.waits('rendered-worker-v2')
  const first = await until('it to be named', async () => {
    const { runs } = await listRuns(as('viewer'), { change: then.id })
    return runs[0]?.waves[0]?.was === 1 && runs[0].waves[0]
  })
  expect(first).toMatchObject({ state: 'open', wanting: 0, needsPerson: true })
  expect(first.why).toMatch(
    /no group in first wants it now.* \(anker\S* was through \S+ \S+ UTC and counts no more: a newer configuration of it takes that back, or part of it\)$/,
  )
  for (const [at, config] of [
    [one, 'rendered-worker-v2'],
    [two, 'rendered-worker-u'],
  ] as const) {
    await db().rolloutPolicy.deleteMany({})
    await at.approve(await at.waits(config))
    await at.change('done')
  }
})

test('a gate that is away refuses configurations, and only these; what is held stays held', async () => {
  await two.render('rendered-worker-x')
  expect(two.isHeld()).toBe(true)
  await gate.stop()
  expect((await failure(two.render('rendered-worker-y'))).message).toContain('machineconfigpools.latch.drydock.dev')
  await two.write('worker', { metadata: { labels: { a: 'b' } } })
  expect(two.pool().metadata.labels).toMatchObject({ a: 'b' })
  expect(two.isHeld()).toBe(true)
  expect(two.told('rendered-worker-x')).toEqual([])
  const held = await failure(removeLatch(as('admin'), { clusterId: two.clusterId }))
  expect(held.message).toContain('MachineConfigPool worker')
})
