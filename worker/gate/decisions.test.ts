import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { COUNTED } from '@/lib/services/changes/counted'
import { failure } from '@/testenv/deciding'
import { CLOSED, cy, FROZEN, lifted } from '@/testenv/timed'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { SpecInput } from '@/lib/services/policies/schemas'
import { approvedInPlace } from './approved-in-place'
import { decidedFor, requireInTime } from './decisions'
import type { Subject } from './subject'

useTestDatabase()
const [clusterId, groupId] = [randomUUID(), randomUUID()]
const subject: Subject = {
  ...{ clusterId, groupId, namespace: 'fleet', name: 'md', kind: 'MachineDeployment' },
  ...{ workloadCluster: 'c1', machine: null },
}
const fingerprint = 'f'.repeat(64)
const workload = { clusterId, namespace: 'fleet', name: 'c1', provider: 'cluster-api' }

beforeAll(async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: 'md', fingerprint },
      ...{ workloadCluster: 'c1', state: 'running', summary: 's', outlook: {}, heldBy: 'gate', resourceVersion: '1' },
      machines: 3,
      changeSet: { pairs: [{ from: 'a', machines: 3, fingerprint, changes: [] }], fields: [] },
    },
  })
  const actor = { actorId: 'a', actorName: 'Ada' }
  await db().decision.create({ data: { changeId, fingerprint, mode: 'replace', state: 'accepted', ...actor } })
})
beforeEach(async () => {
  await lifted()
  await db().workloadCluster.deleteMany({})
})

const asked = async (): Promise<void> => requireInTime((await decidedFor(subject, fingerprint)).change, {})
const refused = async (): Promise<string> => (await failure(asked())).message
const policy = (spec: object, name = `p-${randomUUID()}`) => savePolicy(cy, { name, spec })
const labelled = (labels: object) => db().workloadCluster.create({ data: { ...workload, id: randomUUID(), labels } })

test('policies that say the same are asked for with the question, in one statement, and not parsed anew', async () => {
  await policy({ select: { names: ['other'] }, ...FROZEN })
  await asked()
  const [parsed, statements] = [vi.spyOn(SpecInput, 'safeParse'), vi.spyOn(pg.Client.prototype, 'query')]
  await asked()
  expect([statements.mock.calls.length, parsed.mock.calls.length]).toEqual([1, 0])
  vi.restoreAllMocks()
})

test('by the database’s clock, whatever this process’s says: a freeze, and when an approval expires', async () => {
  await policy(FROZEN)
  const since = new Date()
  const by = (ms: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: since.getTime() + ms })
  // Past the freeze.
  by(3 * 3_600_000)
  expect(await refused()).toContain('frozen')
  vi.useRealTimers()
  await lifted()
  await db().decision.updateMany({ data: { expiresAt: new Date(since.getTime() - 60_000) } })
  by(-600_000)
  expect(await refused()).toContain('expired')
  await db().decision.updateMany({ data: { expiresAt: new Date(since.getTime() + 60_000) } })
  by(600_000)
  await asked()
  vi.useRealTimers()
  await db().decision.updateMany({ data: { expiresAt: null } })
})

test('of a burst that comes after policies were written, one reads them', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `name-${i}`)
  const spec = { select: { names }, approvals: 2, stopsAt: '10%' }
  await db().rolloutPolicy.createMany({ data: Array.from({ length: 200 }, (_, i) => ({ name: `p-${i}`, spec })) })
  const { change } = await decidedFor(subject, fingerprint)
  const [parsed, statements] = [vi.spyOn(SpecInput, 'safeParse'), vi.spyOn(pg.Client.prototype, 'query')]
  await Promise.all(Array.from({ length: 100 }, () => requireInTime(change, {})))
  expect(parsed.mock.calls.length).toBe(200)
  expect(statements.mock.calls.length).toBeLessThan(5)
  vi.restoreAllMocks()
})

test('by the policies that are stored in that moment: written, written past Drydock, removed', async () => {
  const { id } = await policy({ select: { names: ['other'] }, ...FROZEN })
  await asked()
  await db().rolloutPolicy.update({
    where: { id },
    data: { spec: { select: { names: ['md'] }, freezes: [{ ...FROZEN.freezes[0]! }] } },
  })
  expect(await refused()).toMatch(/frozen by the policy/)
  await policy({ select: { names: ['md'] }, ...CLOSED })
  expect(await refused()).toMatch(/outside the windows of the policy .* and frozen|frozen .* and outside/)
  await lifted()
  await asked()
})

test('where any policy cannot be read nothing is answered, however often it is asked', async () => {
  const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: {} } })
  // Also where it says nothing of windows, freezes and waves: nobody knows what it was to say.
  for (const spec of [{ windows: 1 }, { approvals: 'two' }]) {
    await db().rolloutPolicy.update({ where: { id }, data: { spec } })
    for (let i = 0; i < 3; i++) expect(await refused()).toContain('The policy odd cannot be read')
  }
  await db().rolloutPolicy.update({ where: { id }, data: { spec: {} } })
  await asked()
})

test('by the labels of its workload cluster and the name of its management cluster; where labels are not known, not at all', async () => {
  await policy({ select: { labels: { stage: 'prod' } }, ...FROZEN })
  // The policies are known by the second time.
  for (let i = 0; i < 2; i++) expect(await refused()).toContain('labels of workload cluster c1 are not known yet')
  await labelled({ stage: 'test' })
  await asked()
  await db().workloadCluster.deleteMany({})
  await labelled({ stage: 'prod' })
  expect(await refused()).toMatch(/frozen by the policy/)
  await lifted()
  await policy({ select: { clusters: ['m'] }, ...CLOSED })
  for (let i = 0; i < 2; i++) expect(await refused()).toMatch(/outside the windows/)
})

test('counted as done, and no worker has written that yet: by approvals of before nothing begins, what has begun goes on, and a newer one speaks', async () => {
  const counted = { ...subject, groupId: randomUUID(), name: 'counted' }
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId, groupId: counted.groupId, groupKind: counted.kind, namespace: 'fleet', groupName: 'counted' },
      ...{ fingerprint, workloadCluster: 'c1', state: 'running', summary: 's', outlook: {}, heldBy: 'gate' },
      ...{ resourceVersion: '1', machines: 3, settling: true },
      changeSet: { pairs: [{ from: 'a', machines: 3, fingerprint, changes: [] }], fields: [] },
    },
  })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const approved = (minutes: number, state: string) => {
    const [at, answered] = [minutesAgo(minutes), state === 'applying' ? null : minutesAgo(minutes)]
    const actor = { actorId: 'a', actorName: `${minutes} minute${minutes > 1 ? 's' : ''} ago` }
    const data = { changeId, fingerprint, mode: 'in-place', state, recordedAt: at, sentAt: at, acceptedAt: answered }
    return db().decision.create({ data: { ...data, ...actor } })
  }
  await approved(3, 'seen')
  const speaks = async () => (await decidedFor(counted, fingerprint)).decision.actorName
  expect(await speaks()).toBe('3 minutes ago')
  await db().change.update({ where: { id: changeId }, data: { countedDoneAt: minutesAgo(2) } })
  expect(await failure(decidedFor(counted, fingerprint))).toMatchObject({ message: COUNTED, about: { changeId } })
  expect(await approvedInPlace(counted)).toMatchObject([{ id: changeId }])
  // Its release is on its way: that is waited for.
  const { id } = await approved(1, 'applying')
  const answer = speaks()
  await db().decision.update({ where: { id }, data: { state: 'accepted', acceptedAt: new Date() } })
  expect(await answer).toBe('1 minute ago')
})

test('a burst is looked up together, and each is answered by its own', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `burst-${i}`)
  const known = names.map((name, i) => ({
    ...subject,
    groupId: randomUUID(),
    name,
    fingerprint: `${i % 10}`.repeat(64),
  }))
  const made = await db().change.createManyAndReturn({
    data: known.map(({ groupId, name, fingerprint }) => ({
      ...{ clusterId, groupId, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: name, fingerprint },
      ...{ workloadCluster: 'c1', state: 'running', summary: name, outlook: {}, heldBy: 'gate', resourceVersion: '1' },
      ...{ machines: 3, changeSet: { pairs: [{ from: 'a', machines: 3, fingerprint, changes: [] }], fields: [] } },
    })),
  })
  // The last one has been decided anew: of several it is the newest.
  const decisions = made.flatMap(({ id: changeId, fingerprint, groupName }, i) => {
    const decision = { changeId, fingerprint, mode: 'replace', state: 'accepted', actorId: 'a', actorName: groupName }
    if (i === 38) return [{ ...decision, recordedAt: new Date(0), actorName: 'before' }, decision]
    return i % 2 === 0 ? [decision] : []
  })
  await db().decision.createMany({ data: decisions })
  const statements = vi.spyOn(pg.Client.prototype, 'query')
  const answers = await Promise.allSettled(known.map((one) => decidedFor(one, one.fingerprint)))
  expect(statements.mock.calls.length).toBeLessThan(10)
  vi.restoreAllMocks()
  const said = answers.map((answer) =>
    answer.status === 'fulfilled'
      ? `${answer.value.change.groupName} by ${answer.value.decision.actorName}`
      : (answer.reason as Error).message,
  )
  expect(said).toEqual(names.map((name, i) => (i % 2 === 0 ? `${name} by ${name}` : 'waiting for approval')))
})
