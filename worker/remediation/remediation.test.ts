import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { mindRemediation } from '@/lib/services/remediation/mind-remediation'
import { restoreAll } from '@/lib/services/remediation/restore-all'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { audited, failure } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, bo, person, timedCluster } from '@/testenv/timed'
import type { ClusterView } from '../types'
import { noteIll } from './ill'
import { skipWhereAsked } from './skip'

useTestDatabase()
const { at, view } = timedCluster()
const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }

let held: Held
let machine: KubeObject
const input = () => ({ changeId: held.change.id })

beforeEach(async () => {
  await db().machine.deleteMany({})
  held = await at.held()
  const { name } = held
  const all = await at.cluster.machines(held.namespace, name.replace(/-md$/, ''))
  machine = all.find((m) => m.metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name)!
})

const read = () => at.cluster.admin.get(MACHINES, machine.metadata.name, held.namespace)
const annotate = (annotations: Record<string, string | null>) =>
  at.cluster.admin.patch(MACHINES, machine.metadata.name, held.namespace, 'merge', { metadata: { annotations } })
async function marks(): Promise<Record<string, string>> {
  const of = Object.entries((await read()).metadata.annotations ?? {})
  return Object.fromEntries(of.filter(([key]) => key === SKIPS_REMEDIATION || key === SKIP_MARK))
}
const ours = () => ({ [SKIPS_REMEDIATION]: 'drydock', [SKIP_MARK]: held.change.id })

/** The row as the watch would show the machine now. */
async function look(more: object = {}): Promise<void> {
  const { clusterId, groupKind, groupName, namespace, workloadCluster } = held.change
  const { metadata } = await read()
  const annotations = metadata.annotations ?? {}
  const seen = { skipRemediation: SKIPS_REMEDIATION in annotations, skipMark: annotations[SKIP_MARK] ?? null, ...more }
  await db().machine.upsert({
    where: { id: metadata.uid },
    create: {
      ...{ clusterId, groupKind, groupName, namespace, workloadCluster, id: metadata.uid, name: metadata.name },
      ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', ready: true, available: true },
      ...{ upToDate: false, verdict: 'in-place', resourceVersion: '1', createdAt: new Date(), ...seen },
    },
    update: seen,
  })
}
const is = (data: object) => db().change.update({ where: { id: held.change.id }, data })
const fares = (data: { state: string; startedAt?: Date | null }) =>
  db().machineProgress.upsert({
    where: { changeId_machineId: { changeId: held.change.id, machineId: machine.metadata.uid } },
    create: {
      ...{ changeId: held.change.id, machineId: machine.metadata.uid, machineName: machine.metadata.name },
      ...{ predicted: 'in-place', ...data },
    },
    update: data,
  })
async function letGo(): Promise<void> {
  await db().decision.create({
    data: {
      ...{ changeId: held.change.id, fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' },
      ...{ state: 'accepted', acceptedAt: new Date() },
    },
  })
  await is({ state: 'running' })
}
async function round(of?: ClusterView, refused = new Map<string, number>()): Promise<void> {
  await skipWhereAsked(of ?? (await view()), refused)
}
/** Asked for, let go, and written. */
async function marked(): Promise<void> {
  await skipRemediation(ada, input())
  await letGo()
  await look()
  await round()
  expect(await marks()).toEqual(ours())
  await look()
}
const with_ = async (client: Partial<KubeClient>): Promise<ClusterView> => {
  const mine = await view()
  return { ...mine, client: Object.assign(Object.create(mine.client) as KubeClient, client) }
}

describe('who may ask for it', () => {
  test('an approver, once, and takes it back; both are on record', async () => {
    expect((await failure(skipRemediation(person('o', 'operator'), input()))).code).toBe('forbidden')
    await skipRemediation(ada, input())
    expect((await failure(skipRemediation(bo, input()))).message).toBe('Ada has asked for that already.')
    await mindRemediation(bo, input())
    expect((await failure(mindRemediation(bo, input()))).code).toBe('conflict')
    expect(await audited(held)).toEqual(['change.skips-remediation ok', 'change.minds-remediation ok'])
  })

  test('where Drydock may not patch machines it says so, and nothing is asked', async () => {
    const where = { id: at.clusterId }
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where })
    const why = { verb: 'patch', group: 'cluster.x-k8s.io', resource: 'machines', why: '' }
    await db().managementCluster.update({
      where,
      data: { discovery: { ...(discovery as object), missingPermissions: [why] } },
    })
    const { code, more } = await failure(skipRemediation(ada, input()))
    await db().managementCluster.update({ where, data: { discovery: discovery as object } })
    expect([code, more.hint]).toEqual(['conflict', expect.stringContaining('may not patch machines.cluster.x-k8s.io')])
  })

  test('of what goes replacing there is nothing to ask', async () => {
    await letGo()
    await db().decision.updateMany({ where: { changeId: held.change.id }, data: { mode: 'replace' } })
    expect((await failure(skipRemediation(ada, input()))).message).toContain('It goes replacing')
  })

  test('of what is over there is nothing to ask', async () => {
    await is({ state: 'done' })
    expect((await failure(skipRemediation(ada, input()))).message).toBe('This change is over.')
  })
})

describe('what is marked', () => {
  test('nothing before it is let go, and then what is to be updated in place, once', async () => {
    await skipRemediation(ada, input())
    await look()
    await round()
    expect(await marks()).toEqual({})
    await letGo()
    await round()
    expect(await marks()).toEqual(ours())
    const { resourceVersion } = (await read()).metadata
    await round() // the watch is late
    await look()
    await round()
    expect((await read()).metadata.resourceVersion).toBe(resourceVersion)
    expect(await audited(held)).toEqual([
      'change.skips-remediation ok',
      'remediation.skip ok',
      'remediation.skipped ok',
    ])
  })

  test.each<[string, object, { state: string; startedAt?: Date } | null]>([
    ['is to be replaced', { verdict: 'replace' }, null],
    ['is up to date', { verdict: 'up-to-date', upToDate: true }, null],
    ['is going', { deleting: true }, null],
    [
      'was updated before anybody asked, and fell ill since',
      { verdict: 'up-to-date', ready: false },
      { state: 'done', startedAt: new Date() },
    ],
  ])('not what %s', async (_what, machineIs, progress) => {
    await skipRemediation(ada, input())
    await letGo()
    await look(machineIs)
    if (progress) await fares(progress)
    await round()
    expect(await marks()).toEqual({})
  })

  test('nothing without the click, and nothing of what was approved replacing', async () => {
    await letGo()
    await look()
    await round()
    await skipRemediation(ada, input())
    await db().decision.updateMany({ where: { changeId: held.change.id }, data: { mode: 'replace' } })
    await round()
    expect(await marks()).toEqual({})
  })

  test('what somebody else set stays as it was, before and after', async () => {
    await annotate({ [SKIPS_REMEDIATION]: 'mine' })
    await skipRemediation(ada, input())
    await letGo()
    await look({ skipRemediation: false }) // set since the watch showed it
    await round()
    await look({ updating: true })
    await round()
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({ [SKIPS_REMEDIATION]: 'mine' })
  })

  test('a write in between is read anew', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    let first = true
    const { client } = await view()
    const patch: KubeClient['patch'] = async (...given) => {
      if (first) await annotate({ 'example.com/other': 'x' })
      first = false
      return client.patch(...given)
    }
    await round(await with_({ patch }))
    expect(await marks()).toEqual(ours())
    expect((await read()).metadata.annotations?.['example.com/other']).toBe('x')
  })

  test('not by a worker that lost the cluster to another one', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    await db().clusterLease.create({ data: { clusterId: at.clusterId, owner: 'other', fence: 2n, until: new Date() } })
    await expect(round()).rejects.toThrow('Another worker owns')
    await db().clusterLease.deleteMany({})
    expect(await marks()).toEqual({})
  })

  test('one that died between its record and its write has left it to the next one', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    const data = { changeId: held.change.id, machineId: machine.metadata.uid, state: 'setting' }
    await db().remediationSkip.create({ data })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('a refusal is shown in the API server’s words, recorded once, and not repeated at once', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    let asked = 0
    const patch: KubeClient['patch'] = () => {
      asked++
      return Promise.reject(
        new KubeError(403, { kind: 'Status', code: 403, message: 'machines is forbidden' }, 'PATCH'),
      )
    }
    const mine = await with_({ patch })
    const refused = new Map<string, number>()
    await round(mine, refused)
    await round(mine, refused)
    expect(asked).toBe(1)
    await round(mine)
    expect(asked).toBe(2)
    const refusedNow = async () => (await db().change.findUniqueOrThrow({ where: { id: held.change.id } })).skipsRefused
    expect(await refusedNow()).toBe('machines is forbidden')
    expect((await audited(held)).filter((one) => one.startsWith('remediation'))).toEqual([
      'remediation.skip ok',
      'remediation.skipped refused',
    ])
    await round()
    expect([await refusedNow(), await marks()]).toEqual([null, ours()])
  })
})

describe('what was found ill in the middle of its update is on record', () => {
  const BEGAN = new Date('2026-11-01T10:00:00.400Z')
  test.each<[string, object, { state: string; startedAt?: Date }, boolean]>([
    ['while it is updated', {}, { state: 'updating', startedAt: BEGAN }, true],
    [
      'in the second in which it began',
      { checkFailedSince: new Date('2026-11-01T10:00:00Z') },
      { state: 'updating', startedAt: BEGAN },
      true,
    ],
    ['going already', { deleting: true }, { state: 'deleting', startedAt: BEGAN }, true],
    [
      'ill before',
      { checkFailedSince: new Date('2026-11-01T09:59:59Z') },
      { state: 'updating', startedAt: BEGAN },
      false,
    ],
    ['not begun', {}, { state: 'waiting' }, false],
    ['updated before', {}, { state: 'done', startedAt: BEGAN }, false],
    ['well', { checkFailedSince: null }, { state: 'updating', startedAt: BEGAN }, false],
  ])('%s', async (_what, machineIs, progress, noted) => {
    await letGo()
    await look({ checkFailedSince: new Date('2026-11-01T10:05:00Z'), ...machineIs })
    await fares(progress)
    await noteIll(await view())
    await db().machine.deleteMany({})
    await noteIll(await view())
    const [row] = await db().machineProgress.findMany({ where: { changeId: held.change.id } })
    expect(row!.illAt !== null).toBe(noted)
  })
})

describe('what was there is restored', () => {
  const over = (state: string) => () => is({ state })
  const stands = async () => {
    await db().group.update({ where: { id: held.change.groupId }, data: { held: 'held' } })
    await is({ state: 'waiting', dueMode: 'in-place' })
  }
  test.each<[string, () => Promise<unknown>, object, { state: string; startedAt?: Date } | null, boolean]>([
    ['it is done', over('done'), { updating: true }, null, true],
    ['it is superseded', over('superseded'), { updating: true }, null, true],
    ['it was changed back', over('reverted'), { updating: true }, null, true],
    ['it is rejected', over('rejected'), { updating: true }, null, true],
    ['the click is taken back', () => mindRemediation(ada, input()), { updating: true }, null, true],
    ['the change is gone from the database', () => db().change.deleteMany({}), { updating: true }, null, true],
    ['the machine belongs to no group any more', async () => {}, { groupName: null, updating: true }, null, true],
    [
      'the machine is through',
      async () => {},
      { verdict: 'up-to-date', upToDate: true },
      { state: 'done', startedAt: new Date() },
      true,
    ],
    [
      'updated, and not ready yet',
      async () => {},
      { verdict: 'up-to-date', upToDate: true, ready: false },
      { state: 'done', startedAt: new Date() },
      false,
    ],
    ['its update failed', async () => {}, { verdict: 'up-to-date' }, { state: 'failed', startedAt: new Date() }, false],
    ['held again before its turn came', stands, {}, { state: 'waiting' }, true],
    [
      'held again in the middle of its update',
      stands,
      { updating: true },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
    [
      'held again, updated and behind',
      stands,
      { upToDate: false },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
  ])('%s', async (_what, happens, machineIs, progress, restored) => {
    await marked()
    await look(machineIs)
    if (progress) await fares(progress)
    await happens()
    await round()
    expect(await marks()).toEqual(restored ? {} : ours())
  })

  test('one that was held before its turn came is marked again when it comes', async () => {
    await marked()
    await stands()
    await round()
    expect(await marks()).toEqual({})
    await look()
    await db().group.update({ where: { id: held.change.groupId }, data: { held: null } })
    await is({ state: 'running' })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('one that is through is not marked again, whatever becomes of it', async () => {
    await marked()
    await fares({ state: 'done', startedAt: new Date() })
    await look({ verdict: 'up-to-date', upToDate: true })
    await round()
    await look({ ready: false, error: 'gone' })
    await fares({ state: 'failed', startedAt: new Date() })
    await round()
    expect(await marks()).toEqual({})
  })

  test('of what somebody took over only our mark goes', async () => {
    await marked()
    await annotate({ [SKIPS_REMEDIATION]: 'kept by the storage team' })
    await look()
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({ [SKIPS_REMEDIATION]: 'kept by the storage team' })
  })

  test.each<[string, Record<string, null>]>([
    ['both', { [SKIPS_REMEDIATION]: null, [SKIP_MARK]: null }],
    ['the one that counts', { [SKIPS_REMEDIATION]: null }],
  ])('where somebody took %s away it is not set again', async (_what, annotations) => {
    await marked()
    await annotate(annotations)
    await look({ updating: true })
    await round()
    expect(await marks()).not.toHaveProperty([SKIPS_REMEDIATION])
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({})
  })

  test('a newer change for which it is asked, too, takes the machine over without a gap', async () => {
    await marked()
    const { id: _, changeSet, outlook, outcome: __, wave: ___, ...rest } = held.change
    const json = { changeSet: changeSet as object, outlook: outlook as object }
    const next = await db().change.create({
      data: { ...rest, ...json, skipsBy: 'Ada', skipsAt: new Date(), state: 'waiting' },
    })
    await is({ state: 'superseded' })
    await look({ updating: true })
    await round()
    expect(await marks()).toEqual({ ...ours(), [SKIP_MARK]: next.id })
  })

  test.each([randomUUID(), 'not an id'])('a mark of nobody knows what (%s) goes', async (mark) => {
    await annotate({ [SKIPS_REMEDIATION]: 'drydock', [SKIP_MARK]: mark })
    await look()
    await round()
    expect(await marks()).toEqual({})
  })

  test('a machine that is gone, or made anew under its name, is left alone', async () => {
    await marked()
    await is({ state: 'done' })
    await db().machine.updateMany({ data: { name: 'gone' } })
    await round()
    await db().machine.deleteMany({})
    await look()
    await db().machine.updateMany({ data: { id: randomUUID() } })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('whoever disconnects the cluster leaves no mark there', async () => {
    await marked()
    await look({ updating: true })
    expect(await restoreAll(at.clusterId)).toBe('the remediation of 1 of its machines is as it was before')
    expect(await marks()).toEqual({})
    await look()
    await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'disconnected' } })
    await db().remediationSkip.deleteMany({})
    await round()
    await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'connected' } })
    expect(await marks()).toEqual({})
    expect(await restoreAll(at.clusterId)).toBeNull()
  })

  test('rows that are forgotten with their connection ask for nothing', async () => {
    await marked()
    await db().$transaction((tx) => forgetRows(tx, at.clusterId))
    await round()
    expect(await db().machine.count()).toBe(0)
  })
})
