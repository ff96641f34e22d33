import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, POOL_PAUSED, SEEN_STORED, WAITING } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { approveSeveral } from '@/lib/services/changes/approve-several'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { HELD_AGAIN } from '@/lib/services/changes/held-again'
import { MOVED_UNAPPROVED } from '@/lib/services/changes/moved-unapproved'
import { planDisconnect } from '@/lib/services/clusters/disconnect-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { installLatch } from '@/lib/services/latch/install-latch'
import { getPool } from '@/lib/services/pools/get-pool'
import { pausePool } from '@/lib/services/pools/pause-pool'
import { resumePool } from '@/lib/services/pools/resume-pool'
import { previewPool } from '@/lib/services/pools/preview-pool'
import { as, failure } from '@/testenv/deciding'
import { CLOSED } from '@/testenv/timed'
import type { Worker } from '../worker'
import { follow, GovernedPools, policy, SOMEBODY, until } from '@/testenv/governed-pools'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let at: GovernedPools
let worker: Worker | null

beforeAll(async () => {
  at = await GovernedPools.start('tidal', 30)
  worker = await follow()
  const { status } = await installLatch(as('admin'), { clusterId: at.clusterId, governs: 'all' })
  expect(status).toMatchObject({ state: 'watching' })
  await at.governed(true)
})
afterAll(async () => {
  await worker?.stop()
  await closeClients()
  await at?.stop()
})
afterEach(() => db().rolloutPolicy.deleteMany({}))

test('a configuration is paused as soon as it is seen, and an approval lets it go to its end', async () => {
  await at.render('rendered-worker-a')
  const waits = await at.waits('rendered-worker-a')
  expect(waits).toMatchObject({ groupKind: 'MachineConfigPool', namespace: '', heldBy: 'latch', author: null })
  expect(waits.summary).toBe('file /etc/motd')
  expect(at.pool().metadata.annotations).toMatchObject({ [HELD]: SEEN_STORED, [POOL_PAUSED]: 'drydock' })
  expect(await failure(at.approve(waits, as('operator')))).toMatchObject({ code: 'forbidden' })
  const replace = { changeId: waits.id, fingerprint: waits.fingerprint, mode: 'replace' as const }
  expect(await failure(approveChange(as('approver'), replace))).toMatchObject({ code: 'invalid' })
  expect(await at.approve(waits)).toMatchObject({ state: 'accepted', error: null })
  expect(at.pool().spec?.paused).toBe(false)
  expect(at.pool().metadata.annotations).not.toHaveProperty([HELD])
  const done = await at.change('done')
  expect(done.outcome).toMatchObject({ created: 0, deleted: 0, failed: 0 })
  expect(at.told('rendered-worker-a')).toHaveLength(at.nodes().length)
  const story = (await db().auditEvent.findMany({ where: { targetId: waits.id }, orderBy: { id: 'asc' } })).map(
    (e) => e.action,
  )
  expect(story).toEqual(['change.waits', 'change.approved', 'decision.accepted'])
  const update = await getUpdate(as('viewer'), waits.id)
  expect(update.machinesList.map(({ progress }) => progress?.state)).toEqual(at.nodes().map(() => 'done'))
})

test('a mark of ours that somebody left is taken off, so that the next person’s pause is theirs', async () => {
  const mark = { metadata: { annotations: { [POOL_PAUSED]: 'drydock' } } }
  at.write('worker', mark)
  await until('the mark to be taken off', async () => !(POOL_PAUSED in (at.pool().metadata.annotations ?? {})))
  const { uid } = at.pool().metadata
  const told = await until('it to be on record', async () => {
    const events = await db().auditEvent.findMany({ where: { targetId: uid }, orderBy: { id: 'asc' } })
    const actions = events.map(({ action }) => action)
    return actions.includes('change.unmarked') ? events : null
  })
  expect(told.at(-1)).toMatchObject({ action: 'change.unmarked', targetName: 'worker', result: 'ok' })
})

test('a newer configuration voids what was approved of the one before', async () => {
  await policy({ approvals: 2 })
  await at.render('rendered-worker-b')
  const first = await at.waits('rendered-worker-b')
  expect(await at.approve(first, as('approver', 'Ada'))).toMatchObject({ state: 'gathering', missing: 1 })
  await at.render('rendered-worker-c')
  const second = await at.waits('rendered-worker-c')
  expect(second.fingerprint).not.toBe(first.fingerprint)
  expect(await failure(at.approve(first, as('approver', 'Bo')))).toMatchObject({ code: 'conflict' })
  expect(await db().change.findUnique({ where: { id: first.id } })).toMatchObject({ state: 'superseded' })
  expect(await at.approve(second, as('approver', 'Ada'))).toMatchObject({ missing: 1 })
  expect(at.isHeld()).toBe(true)
  await rejectChange(as('approver', 'Bo'), {
    changeId: second.id,
    fingerprint: second.fingerprint,
    reason: 'not on a Friday',
  })
  await until('the words of the rejection', async () =>
    at.pool().metadata.annotations?.[HELD]?.includes('not on a Friday'),
  )
  // Changed back to what was approved. Nodes that had begun before it was paused have to go back, which somebody approves.
  const astray = at.nodes().length - at.told('rendered-worker-a').length
  await at.point('rendered-worker-a')
  if (astray > 0) {
    const back = await at.waits('rendered-worker-a')
    expect(back.machines).toBe(astray)
    expect(at.isHeld()).toBe(true)
    await db().rolloutPolicy.deleteMany({})
    await at.approve(back)
    await at.change('done')
  } else await at.change('reverted')
  await until('the pool to be free', async () => !at.isHeld() && at.pool().spec?.paused === false)
})

test('a window that closes in the middle: nodes that have begun are finished, the pool is paused, and goes on in its time', async () => {
  // Before that, so that a node which is told before the pool is paused is not through before anybody looks.
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await at.render('rendered-worker-d')
  const waits = await at.waits('rendered-worker-d')
  const seen = { changeId: waits.id, fingerprint: waits.fingerprint }
  const several = await approveSeveral(as('approver'), { mode: 'in-place', changes: [seen] })
  expect(JSON.stringify(several)).toContain('accepted')
  await at.change('running')
  await until('a node to begin', async () => at.told('rendered-worker-d').length > 0)
  const { id: closed } = await policy(CLOSED)
  await until('the pool to be paused', async () => at.isHeld())
  expect(at.pool().metadata.annotations?.[HELD]).toMatch(/^Stopped by Drydock: not now: /)
  const begun = at.told('rendered-worker-d').length
  expect(begun).toBeLessThan(at.nodes().length)
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', null)
  const held = await at.change('waiting')
  expect(held).toMatchObject({ id: waits.id, dueMode: 'in-place' })
  await until('what began to be through', async () => {
    const rows = await db().machineProgress.findMany({ where: { changeId: waits.id, startedAt: { not: null } } })
    return rows.length === begun && rows.every(({ state }) => state === 'done')
  })
  expect(at.told('rendered-worker-d')).toHaveLength(begun)
  await db().rolloutPolicy.deleteMany({ where: { id: closed } })
  expect(await at.change('done')).toMatchObject({ id: waits.id })
})

test('a node that is degraded stops the rest at the limit of its policy', async () => {
  await policy({ stopsAt: 1 })
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await at.render('rendered-worker-e')
  const waits = await at.waits('rendered-worker-e')
  await at.approve(waits)
  const [first] = await until('a node to begin', async () =>
    at.told('rendered-worker-e').length > 0 ? at.told('rendered-worker-e') : null,
  )
  const name = first!.metadata.name
  await at.annotate(name, 'machineconfiguration.openshift.io/reason', 'disk pressure')
  await at.annotate(name, 'machineconfiguration.openshift.io/state', 'Degraded')
  await until('the pool to be paused', async () => at.isHeld())
  const stopped = await db().change.findUniqueOrThrow({ where: { id: waits.id } })
  expect(stopped.stoppedWhy).toContain(name)
  expect(at.pool().metadata.annotations?.[HELD]).toContain('stopped by the policy')
  // What else had begun goes through; what it hangs on is told on, for nothing else of it is at work then.
  const others = at.nodes().filter(({ metadata }) => metadata.name !== name)
  for (const { metadata } of others) await at.annotate(metadata.name, 'drydock.test/drain', null)
  const of = { changeId: waits.id, startedAt: { not: null }, machineName: { not: name } }
  await until('the others to be through', async () => {
    const rows = await db().machineProgress.findMany({ where: of })
    return rows.every(({ state }) => state === 'done')
  })
  await db().change.update({ where: { id: waits.id }, data: { stuckReason: null } })
  const hangs = { id: waits.id, state: 'waiting', stuckReason: { startsWith: `${name}: ` } }
  await until('what hangs to be told', () => db().change.findFirst({ where: hangs }), 20)
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', null)
})

test('who pauses a held pool here makes the pause theirs: it stays held, and an approval leaves their pause', async () => {
  await db().rolloutPolicy.deleteMany({})
  await at.render('rendered-worker-f')
  const { id } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })
  await at.waits('rendered-worker-f')
  await until('the pool to be held', async () => at.isHeld())
  const preview = await previewPool(as('operator'), { poolId: id, action: 'pause' })
  expect(preview.call.body).toMatchObject({
    metadata: { annotations: { [POOL_PAUSED]: null } },
    spec: { paused: true },
  })
  expect(preview.warnings.join(' ')).toContain('an approval leaves it')
  const { uid, resourceVersion, generation } = preview
  const looked = { poolId: id, uid, resourceVersion, generation: generation! }
  const action = await pausePool(as('operator', 'Olga'), { ...looked, reason: 'not before Monday' })
  await until('it to be seen', async () => {
    const row = await db().openShiftAction.findUniqueOrThrow({ where: { id: action.id } })
    return row.state === 'seen'
  })
  expect(at.isHeld()).toBe(true)
  expect(at.pool().metadata.annotations).not.toHaveProperty([POOL_PAUSED])
  const told = await until('the page to say whose it is', async () => {
    const pool = await getPool(as('viewer'), { id })
    return pool.hold.held ? null : pool
  })
  expect(told).toMatchObject({ paused: true, hold: { kept: true }, pausedWith: { actorName: 'Olga' } })
  expect(await at.approve(await at.waits('rendered-worker-f'))).toMatchObject({ state: 'accepted' })
  expect(at.pool().spec?.paused).toBe(true)
  expect(at.pool().metadata.annotations).not.toHaveProperty([HELD])
  const now = await previewPool(as('approver'), { poolId: id, action: 'resume' })
  const resume = { poolId: id, resourceVersion: now.resourceVersion, generation: now.generation!, uid: now.uid }
  await resumePool(as('approver'), resume)
  await at.change('done')
})

test('of a governed pool it is said before: a pause of what is approved stays at its time, and resumed, what comes next waits', async () => {
  const { id: closed } = await policy(CLOSED)
  await at.render('rendered-worker-p')
  const { id } = await db().configPool.findFirstOrThrow({ where: { name: 'worker' } })
  const waits = await at.waits('rendered-worker-p')
  await until('the pool to be held', async () => at.isHeld())
  const asks = (await previewPool(as('operator'), { poolId: id, action: 'pause' })).warnings.join(' ')
  expect(asks).toContain('goes on waiting for its approval')
  await at.approve(waits)
  const approved = (await previewPool(as('operator'), { poolId: id, action: 'pause' })).warnings.join(' ')
  expect(approved).toMatch(
    /is approved already\. From \S+ \S+ UTC on Drydock’s hold is lifted, and your pause stays until somebody resumes/,
  )
  await db().rolloutPolicy.delete({ where: { id: closed } })
  await at.change('done')
  await at.write('worker', { spec: { paused: true } })
  const follows = await until('it to have what it wants', async () => {
    const { follows } = await previewPool(as('operator'), { poolId: id, action: 'resume' })
    return follows[0]!.startsWith('Nothing begins') && follows
  })
  expect(follows[1]).toMatch(/^Whatever comes next waits for its approval: the pool is governed, and held by pausing: /)
  await at.write('worker', { spec: { paused: false } })
})

test('who resumes a held pool is put back, with or without its words, on record each time; an approval lets it go', async () => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  const configuration = 'machineconfigurations.operator.openshift.io'
  const clusterPolicies = { files: [{ path: '/etc/motd', actions: [{ type: 'None' }] }] }
  const observedGeneration = at.server.store.get(configuration, 'cluster')!.metadata.generation ?? 0
  const status = { observedGeneration, nodeDisruptionPolicyStatus: { clusterPolicies } }
  await at.server.store.merge(configuration, 'cluster', { status }, SOMEBODY, 'status')
  await at.render('rendered-worker-g')
  const waits = await at.waits('rendered-worker-g')
  expect(JSON.stringify(waits.outlook)).toContain('That is by the node disruption policies of now.')
  await until('the pool to be held', async () => at.isHeld())
  const unmarked = { action: 'change.unmarked' }
  const before = await db().auditEvent.count({ where: unmarked })
  const marks = new Set<boolean>()
  await at.write('worker', { spec: { paused: false } })
  await until('the hold to be put back', async () => {
    marks.add(POOL_PAUSED in (at.pool().metadata.annotations ?? {}))
    return at.isHeld()
  })
  expect(marks).toEqual(new Set([true]))
  expect(at.pool().metadata.annotations).toMatchObject({ [POOL_PAUSED]: 'drydock' })
  expect(await db().auditEvent.count({ where: unmarked })).toBe(before)
  expect(await at.waits('rendered-worker-g')).toMatchObject({ id: waits.id })
  const annotations = { [HELD]: null, [POOL_PAUSED]: null }
  await at.write('worker', { metadata: { annotations }, spec: { paused: false } })
  const again = { targetId: waits.id, action: HELD_AGAIN, result: 'ok' }
  await until('both to be on record', async () => (await db().auditEvent.count({ where: again })) === 2)
  await until('the hold to be put back', async () => at.isHeld())
  expect(await db().auditEvent.count({ where: { targetId: waits.id, action: 'change.let-go' } })).toBe(0)
  expect(await at.approve(await at.waits('rendered-worker-g'))).toMatchObject({ state: 'accepted' })
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', null)
  expect(await at.change('done')).toMatchObject({ id: waits.id })
})

test('what began before it was held again is on record as unapproved, and the hold has the words of what holds it now', async () => {
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', 'blocked')
  await at.render('rendered-worker-h')
  const waits = await at.waits('rendered-worker-h')
  await until('the pool to be held', async () => at.isHeld())
  // As a latch that is removed since left it.
  await at.write('worker', { metadata: { annotations: { [HELD]: `${WAITING}to rendered-worker-h` } } })
  await at.write('worker', { spec: { paused: false } })
  const [first] = at.nodes()
  const { name } = first!.metadata
  await at.annotate(name, 'machineconfiguration.openshift.io/desiredConfig', 'rendered-worker-h')
  await until('the hold to be put back', async () => at.isHeld())
  expect(at.pool().metadata.annotations).toMatchObject({ [HELD]: SEEN_STORED })
  const moved = { targetId: waits.id, action: MOVED_UNAPPROVED }
  const told = await until('it to be on record', () => db().auditEvent.findFirst({ where: moved }))
  expect(told).toMatchObject({ targetKind: 'MachineConfigPool', reason: expect.stringContaining(name) as string })
  for (const { metadata } of at.nodes()) await at.annotate(metadata.name, 'drydock.test/drain', null)
  const begun = at.told('rendered-worker-h').length
  const update = await until('what began to be through', async () => {
    const now = await getUpdate(as('viewer'), waits.id)
    return now.outcome?.updatedInPlace === begun ? now : null
  })
  expect(update.state).toBe('waiting')
  expect(update.machinesList.filter(({ progress }) => progress?.startedAt)).toHaveLength(begun)
  expect(update.timeline).toContainEqual(
    expect.objectContaining({
      tone: 'bad',
      text: expect.stringMatching(/^It was not approved when .* began/) as string,
    }),
  )
  // Once for each node.
  const events = await db().auditEvent.findMany({ where: moved })
  expect(
    events
      .map(({ details }) => (details as { nodes: string }).nodes.split(', '))
      .flat()
      .toSorted(),
  ).toEqual(
    at
      .told('rendered-worker-h')
      .map(({ metadata }) => metadata.name)
      .toSorted(),
  )
  await at.approve(await at.waits('rendered-worker-h'))
  await at.change('done')
})

test('disconnecting says which pools stay held, and who can resume them then', async () => {
  await until('a pool to be held', async () => at.isHeld('gpu'))
  const { clusterId } = at
  const plan = await planDisconnect(as('admin'), { clusterId })
  expect(plan).toMatchObject({ staysHeld: ['MachineConfigPool gpu'], wouldMove: [], registered: false })
  expect(plan.sentences[0]).toMatch(
    /^The pool that is held stays paused: .*; anybody who may edit it can do that then\.$/,
  )
  expect(plan.sentences).toContainEqual(expect.stringContaining('Drydock watches here'))
  expect(plan.sentences.join(' ')).not.toMatch(/Drydock holds nothing|gate/)
  await at.render('rendered-worker-i')
  await at.waits('rendered-worker-i')
  const both = await planDisconnect(as('admin'), { clusterId })
  expect(both.staysHeld.toSorted()).toEqual(['MachineConfigPool gpu', 'MachineConfigPool worker'])
  expect(await at.approve(await at.waits('rendered-worker-i'))).toMatchObject({ state: 'accepted' })
  await at.change('done')
})

test('a person’s pause is kept, and only an approval lets what waits below it go', async () => {
  const gpu = (await db().configPool.findFirstOrThrow({ where: { name: 'gpu' } })).id
  const waits = await at.change('waiting', 'gpu')
  await until('it to be put on hold', async () => HELD in (at.pool('gpu').metadata.annotations ?? {}))
  expect(at.pool('gpu').metadata.annotations).not.toHaveProperty([POOL_PAUSED])
  expect(waits).toMatchObject({ fromVersion: '4.21.14', toVersion: '4.22.4' })
  expect(await failure(previewPool(as('approver'), { poolId: gpu, action: 'resume' }))).toMatchObject({
    code: 'conflict',
  })
  const { resourceVersion, generation } = at.pool('gpu').metadata
  const resume = { poolId: gpu, resourceVersion, generation: generation! }
  expect((await failure(resumePool(as('approver'), resume))).message).toContain('waits for approval')
  const now = await at.change('waiting', 'gpu')
  expect(await at.approve(now)).toMatchObject({ state: 'accepted' })
  expect(at.pool('gpu').spec?.paused).toBe(true)
  expect(at.pool('gpu').metadata.annotations).not.toHaveProperty([HELD])
  await at.change('approved', 'gpu').catch(() => at.change('running', 'gpu'))
  expect(at.pool('gpu').spec?.paused).toBe(true)
})

test('the pool of the control plane is no group, and never held', async () => {
  await at.render('rendered-master-next', 'master')
  await until('a node to be told', async () =>
    at.server.store
      .list('nodes')
      .some(
        ({ metadata }) =>
          metadata.annotations?.['machineconfiguration.openshift.io/desiredConfig'] === 'rendered-master-next',
      ),
  )
  expect(at.isHeld('master')).toBe(false)
  expect(await db().group.count({ where: { kind: 'MachineConfigPool', name: 'master' } })).toBe(0)
  expect(await db().change.count({ where: { groupName: 'master' } })).toBe(0)
})
