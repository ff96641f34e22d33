import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { waitingCounts } from '@/lib/db/queries/shell'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { listClusters } from '../clusters/list-clusters'
import type { Ctx } from '../context'
import { messageFor, type LatchStateName } from '../latch/status'
import { savePolicy } from '../policies/save-policy'
import { needsYou } from './needs-you'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }

const found = (state: LatchStateName | null) =>
  state === null
    ? Prisma.DbNull
    : ({ state, message: messageFor({ state, findings: [] }), findings: [], proved: null } as Prisma.InputJsonObject)

interface Given {
  state?: LatchStateName | null
  form?: string
  governs?: string
  connection?: string
}

let id = ''
async function cluster(name: string, given: Given): Promise<void> {
  const { state = 'intact', form = 'policy', governs = 'all', connection = 'connected' } = given
  const made = await db().managementCluster.create({
    data: {
      ...{ name, server: 'https://127.0.0.1:1', state: connection, latchForm: form, latchStatus: found(state) },
      policy: { create: { governs } },
      lease: { create: { owner: 'me', until: new Date(Date.now() + 3_600_000) } },
    },
  })
  id = made.id
}
const latchNeeds = async (scope = {}) => (await needsYou(viewer, scope)).filter(({ kind }) => kind.startsWith('latch'))
const marks = async () => (await listClusters(viewer)).map(({ name, unprotected }) => [name, unprotected])

beforeEach(async () => void (await db().managementCluster.deleteMany()))

const SAID: Record<string, string> = { 'latch not checked': 'not known', 'writes refused': 'of m are refused now' }
const KINDS: Record<string, string> = {
  ...{ 'latch not checked': 'latch-unknown', 'latch not tried': 'latch-unknown', 'writes refused': 'latch-refuses' },
}
test.each<[LatchStateName | null, string | null]>([
  ['missing', 'latch incomplete'],
  ['changed', 'latch changed'],
  ['not-ours', 'latch not Drydock’s'],
  ['ineffective', 'latch without effect'],
  ['untried', 'latch not tried'],
  ['unlatched', 'latch not installed'],
  ['unknown', 'latch not checked'],
  [null, 'latch not checked'],
  ['intact', null],
  ['unmanaged', null],
  ['unreachable', 'writes refused'],
])('a governed cluster whose latch is %s: %s', async (state, mark) => {
  await cluster('m', { state })
  const needs = await latchNeeds()
  expect(await marks()).toEqual([['m', mark]])
  if (mark === null) return expect(needs).toEqual([])
  expect(needs).toMatchObject([{ id, kind: KINDS[mark] ?? 'latch', where: 'm', action: { href: `/clusters/${id}` } }])
  expect(needs[0]!.sentence).toContain(SAID[mark] ?? (state === 'untried' ? 'could not be tried' : 'unapproved'))
  expect(needs[0]!.detail).toBe(messageFor({ state: state ?? 'unknown', findings: [] }))
})

test.each<[string, Given, number]>([
  ['governs nothing', { state: 'missing', governs: 'none' }, 0],
  ['is disconnected', { state: 'missing', connection: 'disconnected' }, 0],
  ['is away, which is said already', { state: 'unknown', connection: 'unreachable' }, 0],
  ['is away, and lacked its latch before', { state: 'missing', connection: 'unreachable' }, 1],
  ['is governed, with nothing installed or looked at', { state: null, form: 'none' }, 1],
  ['is governed since the last look', { state: 'none', form: 'none' }, 1],
])('a cluster that %s', async (_name, given, needs) => {
  await cluster('m', given)
  expect(await latchNeeds()).toHaveLength(needs)
})

test('comes after what is stuck or failed and before what waits, within the scope only', async () => {
  await cluster('west', { state: 'missing' })
  await cluster('east', { state: 'missing' })
  const change = {
    ...{ clusterId: id, groupId: id, groupKind: 'MachineDeployment', namespace: 'n', workloadCluster: 'w' },
    ...{ fingerprint: 'f', summary: 's', changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch' },
    ...{ resourceVersion: '1', machines: 1 },
  }
  await db().change.create({ data: { ...change, groupName: 'a', state: 'waiting' } })
  await db().change.create({ data: { ...change, groupName: 'b', state: 'stuck' } })
  const approver: Ctx = { actor: { ...viewer.actor, role: 'approver' } }
  const kinds = (await needsYou(approver, {})).map(({ kind }) => kind)
  expect(kinds).toEqual(['stuck', 'latch', 'latch', 'approval'])
  const asked = async () => (await needsYou(approver, {})).at(-1)!.sentence
  expect(await asked()).toBe('Waiting for your approval')
  const pausedBy = (name: string | null) =>
    db().change.updateMany({
      where: { groupName: 'a' },
      data: { pausedBy: name, pausedReason: null, pausedAt: name === null ? null : new Date() },
    })
  await pausedBy('Oda')
  expect(await asked()).toBe('Waiting for your approval, and paused by Oda')
  await pausedBy(null)
  await db().change.updateMany({ where: { groupName: 'a' }, data: { outlook: { blocked: 'No such template.' } } })
  expect(await asked()).toBe('No such template.')
  // Nobody can approve that, nor what its policy allows in neither way.
  const last = async () => {
    const { kind, action } = (await needsYou(approver, {})).at(-1)!
    return [kind, action.label]
  }
  expect(await last()).toEqual(['blocked', 'See why'])
  const replacing = { inPlace: null, replace: { counts: { replace: 1 } }, uncovered: [] }
  await db().change.updateMany({ where: { groupName: 'a' }, data: { outlook: replacing } })
  expect(await last()).toEqual(['approval', 'Review'])
  const only = { name: 'only', spec: { select: { names: ['a'] }, strategy: 'in-place-only' } }
  await savePolicy({ actor: { ...viewer.actor, role: 'admin' } }, only)
  expect(await last()).toEqual(['blocked', 'See why'])
  await db().rolloutPolicy.deleteMany({})
  // A control plane that has stood still for days is worse than what is stuck.
  const plane = { ...change, groupName: 'c', groupKind: 'KubeadmControlPlane', state: 'waiting', holdLevel: 3 }
  const { id: planeId } = await db().change.create({ data: plane })
  expect((await needsYou(approver, {})).map(({ id: need, dangerous }) => [need === planeId, dangerous])[0]).toEqual([
    ...[true, true],
  ])
  await db().change.delete({ where: { id: planeId } })
  // As many as its page speaks of.
  const scaled = { counts: { 'in-place': 14 }, created: 0, deleted: 1, removed: 1, headline: '' }
  const outlook = { inPlace: scaled, replace: scaled, uncovered: [] }
  await db().change.updateMany({ where: { groupName: 'a' }, data: { outlook, machines: 13 } })
  expect((await needsYou(approver, {})).at(-1)!.detail).toBe('s, 15 machines')
  expect((await latchNeeds({ cluster: 'west' })).map(({ where }) => where)).toEqual(['west'])
})

test('what is approved, and paused by somebody, waits for nobody’s approval', async () => {
  await cluster('m', {})
  const approver: Ctx = { actor: { ...viewer.actor, role: 'approver' } }
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const make = (groupName: string, more: { state: string } & Partial<Prisma.ChangeUncheckedCreateInput>) =>
    db().change.create({
      data: {
        ...{ clusterId: id, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName },
        ...{ workloadCluster: 'w', fingerprint: 'f', summary: 's', changeSet: { pairs: [], fields: [] } },
        ...{ outlook: { inPlace: null, replace: outcome, uncovered: [] }, heldBy: 'latch', resourceVersion: '1' },
        ...{ machines: 1, ...more },
      },
    })
  await make('running', { state: 'running', holdLevel: 1 })
  const approvals = { create: { fingerprint: 'f', mode: 'replace', actorId: 'bo', actorName: 'Bo', deletions: 9 } }
  await make('paused', { state: 'waiting', dueMode: 'replace', pausedBy: 'Op', pausedAt: new Date(), approvals })
  await make('undecided', { state: 'waiting', pausedBy: 'Op', pausedAt: new Date() })
  await make('waits', { state: 'waiting' })
  const kinds = (await needsYou(approver, {})).map(({ kind, where }) => `${where.split(' / ').at(-1)}: ${kind}`)
  expect(kinds.sort()).toEqual(['paused: paused', 'running: paused', 'undecided: approval', 'waits: approval'])
})

test('what is approved and waits for its wave needs nobody, but where nothing is under way that would open it', async () => {
  await cluster('m', {})
  const admin: Ctx = { actor: { kind: 'user', id: 'a', name: 'Ada', role: 'admin' } }
  const { id: policyId } = await savePolicy(admin, { name: 'waves', spec: { select: {}, waves: [{ name: 'all' }] } })
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const make = (name: string, more: object) =>
    db().change.create({
      data: {
        ...{ clusterId: id, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: name },
        ...{ workloadCluster: 'w', fingerprint: 'f', state: 'waiting', summary: name, heldBy: 'latch', machines: 1 },
        ...{ resourceVersion: '1', changeSet: { pairs: [], fields: [] }, dueMode: 'replace' },
        outlook: { inPlace: null, replace: outcome, uncovered: [] },
        wave: { policyId, version: 1, name: 'all', index: 0, of: 1, opens: null, state: 'waits', ...more },
        approvals: { create: { fingerprint: 'f', mode: 'replace', actorId: 'bo', actorName: 'Bo', deletions: 9 } },
      },
    })
  await make('goes', { why: 'canary is not through: a (under way)' })
  await make('untried', { why: 'nothing in canary has tried it', needsPerson: true })
  await make('asks', { why: 'somebody has to say that it begins', asksPerson: true, needsPerson: true })
  const needs = (await needsYou(admin, {})).filter(({ kind }) => kind === 'approval')
  expect(needs.map(({ where, sentence }) => [where, sentence]).sort()).toEqual([
    ['m / w / asks', 'Approved: its wave all begins when somebody says so'],
    ['m / w / untried', 'Approved, and in wave 1 of 1 (all), which waits: nothing in canary has tried it'],
  ])
  await db().rolloutPolicy.deleteMany({})
})

test('what is to stop and is not held is there for everybody, whatever state it is in', async () => {
  await cluster('m', {})
  const change = {
    ...{ clusterId: id, groupKind: 'MachineDeployment', namespace: 'n', workloadCluster: 'w', fingerprint: 'f' },
    ...{ summary: 's', changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch' as const, machines: 3 },
    ...{ resourceVersion: '1', stoppedAt: new Date(), stoppedWhy: '2 of 3 machines failed' },
  }
  for (const state of ['approved', 'running', 'stuck', 'done'] as const)
    await db().change.create({ data: { ...change, groupId: randomUUID(), groupName: state, state } })
  const needs = (await needsYou(viewer, {})).filter(({ kind }) => kind === 'stuck')
  expect(needs.map(({ where }) => where).sort()).toEqual(['m / w / approved', 'm / w / running', 'm / w / stuck'])
  expect(needs[0]!.sentence).toBe('It is to stop, and is not held yet: 2 of 3 machines failed')
})

test('what stopped by itself is among the failures, for everybody, before plain approvals, until it is rejected', async () => {
  await cluster('m', { state: 'missing' })
  const change = {
    ...{ clusterId: id, groupKind: 'MachineDeployment', namespace: 'n', workloadCluster: 'w', fingerprint: 'f' },
    ...{ summary: 's', changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch' as const, machines: 3 },
    ...{ resourceVersion: '1', state: 'waiting' },
  }
  const make = (groupName: string, more: object = {}) =>
    db().change.create({ data: { ...change, groupId: randomUUID(), groupName, ...more } })
  const stopped = { stoppedAt: new Date(), stoppedBy: 'prod', stoppedWhy: '2 of 3 machines failed' }
  await make('plain', { detectedAt: new Date(0) })
  await make('late', { holdLevel: 2 })
  const { id: of } = await make('stopped', stopped)
  await make('approved', { ...stopped, dueMode: 'replace' })
  const admin: Ctx = { actor: { kind: 'user', id: 'a', name: 'Ada', role: 'approver' } }
  const shown = async (ctx: Ctx) => (await needsYou(ctx, {})).map(({ kind, where }) => `${kind} ${where}`)
  const failures = ['approval m / w / late', 'stopped m / w / stopped', 'stopped m / w / approved', 'latch m']
  expect(await shown(viewer)).toEqual(failures)
  expect(await shown(admin)).toEqual([...failures, 'approval m / w / plain'])
  const need = async (ctx: Ctx) => (await needsYou(ctx, {})).find((one) => one.id === of)
  expect(await need(viewer)).toMatchObject({
    sentence: 'It stopped by itself: 2 of 3 machines failed',
    detail: 's, 3 machines: somebody with the role approver lets it go on, or it is rejected or rolled back',
    action: { label: 'See what failed', href: `/updates/${of}` },
  })
  expect((await need(admin))?.detail).toBe('s, 3 machines: let it go on, reject it, or roll it back')
  await db().change.update({ where: { id: of }, data: { state: 'rejected' } })
  expect(await need(viewer)).toBeUndefined()
  expect(await need(admin)).toBeUndefined()
  // One that was chosen as it was held comes back by a decision only.
  const before = { inPlace: 2, created: 0, deleted: 0, outOfService: 1 }
  await db().change.update({ where: { id: of }, data: { outlook: { before } } })
  expect(await need(viewer)).toBeUndefined()
  expect(await need(admin)).toMatchObject({
    sentence: 'Rejected, and 1 machine is out of service until its group goes on: decide anew',
    since: expect.any(String) as string,
  })
})

test('a machine that hangs in a drain stays there while it does, whatever its change is by now', async () => {
  await cluster('m', {})
  const groupId = randomUUID()
  const where = { clusterId: id, namespace: 'n', workloadCluster: 'w' }
  const kind = 'MachineDeployment'
  await db().group.create({
    data: {
      ...{ ...where, id: groupId, kind, name: 'g', held: 'the write changes its template', resourceVersion: '1' },
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', createdAt: new Date() },
    },
  })
  const hang = (name: string) =>
    db().machine.create({
      data: {
        ...{ ...where, id: randomUUID(), name, provider: 'x', groupKind: kind, groupName: 'g', resourceVersion: '1' },
        ...{ phase: 'Deleting', state: 'deleting', deleting: true, severity: 50, sentence: '', createdAt: new Date() },
        ...{ error: 'cannot evict pod', troubleWords: 'a disruption budget keeps shop/db-0 on its node' },
      },
    })
  const { id: machine } = await hang('g-1')
  const { id: changeId } = await db().change.create({
    data: {
      ...{ ...where, groupId, groupKind: kind, groupName: 'g', fingerprint: 'f', state: 'stuck', summary: 's' },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch', machines: 3, resourceVersion: '1' },
      stuckReason: 'g-1: a disruption budget keeps shop/db-0 on its node.',
    },
  })
  const stuck = async (kind = 'stuck') => (await needsYou(viewer, {})).filter((need) => need.kind === kind)
  const words = 'Stuck: g-1: a disruption budget keeps shop/db-0 on its node.'
  expect(await stuck()).toMatchObject([{ id: changeId, sentence: words }])
  // Somebody deleted it by hand, and nothing has begun: no rollout is stuck.
  await db().change.updateMany({ where: { clusterId: id }, data: { state: 'waiting', stuckReason: null } })
  expect(await stuck()).toEqual([])
  expect(await stuck('hangs')).toMatchObject([
    {
      ...{
        id: machine,
        where: 'm / w / g',
        detail: 'No update of the group deletes it: somebody does, or a health check.',
      },
      sentence: 'g-1 is being deleted, which does not end: a disruption budget keeps shop/db-0 on its node.',
    },
  ])
  const begun = (machineId: string, machineName: string) =>
    db().machineProgress.create({
      data: {
        ...{ changeId, machineId, machineName, state: 'deleting', predicted: 'in-place' },
        startedAt: new Date(0),
      },
    })
  await begun(machine, 'g-1')
  for (const state of ['waiting', 'rejected', 'approved', 'running']) {
    await db().change.updateMany({ where: { clusterId: id }, data: { state, stuckReason: null } })
    expect(await stuck()).toMatchObject([
      { id: machine, where: 'm / w / g', sentence: words, action: { href: `/machines?machine=${machine}` } },
    ])
  }
  // That it could have been updated where it stands is of no account where it was approved replacing.
  await db().machineProgress.updateMany({ where: { changeId }, data: { deletingAt: new Date(0) } })
  expect([(await stuck()).length, (await stuck('hangs')).length]).toEqual([0, 1])
  const said = { fingerprint: 'f', actorId: 'a', actorName: 'Ada', state: 'seen', acceptedAt: new Date(0) }
  await db().decision.create({ data: { ...said, changeId, mode: 'replace' } })
  expect([(await stuck()).length, (await stuck('hangs')).length]).toEqual([1, 0])
  // One that is ill, and at nothing, waits for its turn like the others.
  const ill = { deleting: false, state: 'not-ready', error: 'Node condition Ready is Unknown', troubleWords: null }
  const { id: other } = await hang('g-0')
  await db().machine.update({ where: { id: other }, data: ill })
  expect(await stuck()).toMatchObject([{ sentence: words }])
  const { id: second } = await hang('g-2')
  await begun(second, 'g-2')
  expect(await stuck()).toMatchObject([
    { sentence: 'Stuck: 2 machines, g-1 among them: a disruption budget keeps shop/db-0 on its node.' },
  ])
  expect(await needsYou(viewer, { workload: 'other' })).toEqual([])
  await db().change.updateMany({ where: { clusterId: id }, data: { state: 'done' } })
  expect(await stuck()).toEqual([])
  expect(await stuck('hangs')).toEqual([])
  await db().machine.deleteMany({ where: { clusterId: id } })
})

test('what is approved and goes at its time needs nobody, and takes no place from what does', async () => {
  await cluster('m', {})
  const admin: Ctx = { actor: { kind: 'user', id: 'a', name: 'Ada', role: 'admin' } }
  const starts = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  const windows = [{ starts, lasts: '2h', timeZone: 'UTC' }]
  await savePolicy(admin, { name: 'nights', spec: { select: {}, windows } })
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const make = (name: string, due: boolean) => {
    const groupId = randomUUID()
    return db().change.create({
      data: {
        ...{ clusterId: id, groupId, groupKind: 'MachineDeployment', namespace: 'n', groupName: name },
        ...{ workloadCluster: 'w', fingerprint: 'f', state: 'waiting', summary: name, heldBy: 'latch', machines: 1 },
        ...{ resourceVersion: '1', changeSet: { pairs: [], fields: [] }, dueMode: due ? 'replace' : null },
        ...{ outlook: { inPlace: null, replace: outcome, uncovered: [] } },
        ...{ detectedAt: new Date(due ? 0 : 1_000) },
        ...(due
          ? {
              approvals: {
                create: { fingerprint: 'f', mode: 'replace', actorId: 'bo', actorName: 'Bo', deletions: 9 },
              },
            }
          : {}),
      },
    })
  }
  for (let i = 0; i < 25; i++) await make(`due-${i}`, true)
  await make('undecided', false)
  const asked = (await needsYou(admin, {})).filter(({ kind }) => kind === 'approval')
  expect(asked.map(({ where }) => where)).toEqual(['m / w / undecided'])
  expect((await waitingCounts()).changes).toBe(1)
})

test('what its policy asks nobody about waits for its window, and hides nothing that needs somebody', async () => {
  await cluster('m', {})
  const admin: Ctx = { actor: { kind: 'user', id: 'a', name: 'Ada', role: 'admin' } }
  const starts = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  const windows = [{ starts, lasts: '2h', timeZone: 'UTC' }]
  const lab = { select: { workloadClusters: ['lab'] }, approvals: 0, strategy: 'replace', windows }
  await savePolicy(admin, { name: 'lab', spec: lab })
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const row = (workloadCluster: string, i: number) => ({
    ...{ clusterId: id, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: `g${i}` },
    ...{ workloadCluster, fingerprint: 'f', state: 'waiting' as const, summary: 's', heldBy: 'latch' as const },
    ...{ resourceVersion: '1', changeSet: { pairs: [], fields: [] }, machines: 1, detectedAt: new Date(i) },
    outlook: { inPlace: null, replace: outcome, uncovered: [] },
  })
  // More than one page of them.
  const older = Array.from({ length: 130 }, (_, i) => row('lab', i))
  const younger = Array.from({ length: 25 }, (_, i) => row('prod', 1_000 + i))
  await db().change.createMany({ data: [...older, ...younger] })
  const needs = await needsYou(admin, {})
  const asked = needs.filter(({ kind }) => kind === 'approval')
  expect(asked.map(({ where }) => where)).toEqual(
    younger.slice(0, 20).map(({ groupName }) => `m / prod / ${groupName}`),
  )
  expect(needs.at(-1)).toMatchObject({ kind: 'more', id: 'updates' })
  // So many that nobody looks on: what stands behind them is not said to be nothing.
  const many = Array.from({ length: 900 }, (_, i) => ({ ...row('lab', 130 + i), detectedAt: new Date(130) }))
  await db().change.createMany({ data: many })
  expect((await needsYou(admin, {})).filter(({ kind }) => kind !== 'watch')).toMatchObject([
    { kind: 'more', id: 'updates', action: { href: '/updates' } },
  ])
  await db().rolloutPolicy.deleteMany({})
})
