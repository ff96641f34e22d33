import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Outlook } from '@/lib/domain/changes'
import type { PolicySpec } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import type { AtOnce } from '@/lib/services/policies/at-once'
import { previewImport } from '@/lib/services/policies/preview-import'
import { previewPolicy } from '@/lib/services/policies/preview-policy'
import { previewRemoval } from '@/lib/services/policies/preview-removal'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { policiesYaml } from '@/lib/services/policies/yaml'
import { expectHeld, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, bo, CLOSED, cy, FROZEN, HOUR, lifted, row, says, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { stopFailing } from './failures'
import { goInTime, holdToTimes } from './times'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view, running } = timedCluster()

type Rules = Omit<PolicySpec, 'select'>
const itself: Rules = { approvals: 0, strategy: 'replace' }
const draftFor = (held: Held, rules: Rules) => ({ name: 'draft', spec: { select: { names: [held.name] }, ...rules } })
const foretold = async (held: Held, rules: Rules) => (await previewPolicy(cy, draftFor(held, rules))).atOnce
function numbers(said: AtOnce | null) {
  if (!said) throw new Error('An admin is not told what saving it does at once.')
  const { goes, later, held, stops, asksAgain } = said
  return [goes, later, held, stops, asksAgain].map(({ changes }) => changes)
}
const NOTHING = [0, 0, 0, 0, 0]

/** Its group as the API server has it: one machine more, none fewer. */
async function listed({ change }: Held): Promise<void> {
  const { groupId: id, clusterId, namespace, groupName: name, workloadCluster } = change
  await db().group.deleteMany({ where: { clusterId, namespace, name } })
  await db().group.create({
    data: {
      ...{ id, clusterId, kind: 'MachineDeployment', apiVersion: 'cluster.x-k8s.io/v1beta2', namespace, name },
      ...{ workloadCluster, strategy: 'RollingUpdate', maxSurge: '1', maxUnavailable: '0', replicas: 1 },
      ...{ resourceVersion: '1', createdAt: new Date() },
    },
  })
}

describe('what waits', () => {
  test('goes by itself where nobody is asked by then: as it is said, so it comes', async () => {
    const held = await at.held()
    const said = await foretold(held, itself)
    expect(numbers(said)).toEqual([1, 0, 0, 0, 0])
    expect(said?.goes).toMatchObject({ inPlace: 0, replaced: 1, first: [{ id: held.change.id }] })
    expect(numbers(await foretold(held, { approvals: 0 }))).toEqual(NOTHING)
    const text = policiesYaml([draftFor(held, itself)])
    const imported = await previewImport(cy, { text })
    expect(imported.policies).toEqual([{ name: 'draft', is: 'new', was: null }])
    expect(imported.atOnce).toEqual(said)
    expect(imported).toMatchObject({ changing: 1, first: [{ name: held.name, changes: ['approvals', 'strategy'] }] })
    await says(held, itself)
    await admit(await view(), held.change.groupId)
    expect(await stateOf(held)).toBe('approved')
  })

  test('nothing of it is said twice: what goes already is not of this policy', async () => {
    const held = await at.held()
    await says(held, itself)
    expect(numbers(await foretold(held, { reasonRequired: true }))).toEqual(NOTHING)
  })

  test('what people decided on, and a control plane that would be replaced, stays for people', async () => {
    const [rejected, plane] = [await at.held(), await at.held('KubeadmControlPlane')]
    await rejectChange(bo, { changeId: rejected.change.id, fingerprint: rejected.change.fingerprint })
    await db().change.update({ where: { id: rejected.change.id }, data: { state: 'waiting' } })
    for (const held of [rejected, plane]) {
      expect(numbers(await foretold(held, itself))).toEqual(NOTHING)
      await says(held, itself)
      await admit(await view(), held.change.groupId)
      expect(await stateOf(held)).toBe('waiting')
    }
  })

  test('what was rejected over another connection to the same cluster stays for people, too', async () => {
    const held = await at.held()
    const { id: _, clusterId: __, ...before } = await row(held)
    const other = await db().managementCluster.create({ data: { name: `o-${randomUUID()}`, server: 'https://x' } })
    const { id: changeId } = await db().change.create({
      data: { ...(before as Prisma.ChangeUncheckedCreateInput), clusterId: other.id, state: 'superseded' },
    })
    const { fingerprint } = held.change
    await db().decision.create({ data: { changeId, fingerprint, mode: 'reject', actorId: 'b', actorName: 'Bo' } })
    expect(numbers(await foretold(held, itself))).toEqual(NOTHING)
    await says(held, itself)
    await admit(await view(), held.change.groupId)
    expect(await stateOf(held)).toBe('waiting')
  })

  test('outside its time, and in waves, it goes later', async () => {
    const held = await at.held()
    expect(numbers(await foretold(held, { ...itself, ...CLOSED }))).toEqual([0, 1, 0, 0, 0])
    expect(numbers(await foretold(held, { ...itself, waves: [{ name: 'all' }] }))).toEqual([0, 1, 0, 0, 0])
  })

  test('gets the version of its Cluster where nobody is asked for it by then', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'hook' } })
    expect(numbers(await foretold(held, itself))).toEqual([1, 0, 0, 0, 0])
    expect(numbers(await foretold(held, { ...itself, ...CLOSED }))).toEqual([0, 1, 0, 0, 0])
  })

  test('its group is written before; where the API server would refuse that, it does not go', async () => {
    const held = await at.held()
    await listed(held)
    expect(numbers(await foretold(held, { ...itself, maxSurge: 2 }))).toEqual([1, 0, 0, 0, 0])
    const preview = await previewPolicy(cy, draftFor(held, { ...itself, maxSurge: 0 }))
    expect(preview).toMatchObject({ neither: 1, groups: [{ neither: true }] })
    expect(numbers(preview.atOnce)).toEqual(NOTHING)
    expect(await previewPolicy(cy, draftFor(held, { maxSurge: 0, maxUnavailable: 1 }))).toMatchObject({ neither: 0 })
  })

  test.each<[string, object, object]>([
    [
      'held in the middle, its spare is there already',
      {
        ...{ counts: { 'in-place-with-spare': 7, 'up-to-date': 2 }, created: 0, deleted: 1, removed: 1, forSpares: 1 },
        headline: '7 machines would be updated in place; 1 old machine would be deleted.',
      },
      { inPlace: 7, replaced: 0, created: 0, deleted: 1 },
    ],
    [
      'not begun, its spare comes first',
      {
        ...{ counts: { 'in-place-with-spare': 5, replace: 1 }, created: 1, deleted: 1, spare: 1 },
        headline: '5 machines would be updated in place; one spare is created first and one old machine is deleted.',
      },
      { inPlace: 5, replaced: 1, created: 0, deleted: 0 },
    ],
    [
      'more are wanted than there are',
      {
        ...{ counts: { 'in-place': 2 }, created: 3, deleted: 0, added: 3 },
        headline: '2 machines would be updated in place; 3 machines would be created besides.',
      },
      { inPlace: 2, replaced: 0, created: 3, deleted: 0 },
    ],
  ])('all that moves is counted: %s', async (_, inPlace, moves) => {
    const held = await at.held()
    const { id } = await says(held, FROZEN)
    const { replace } = (await row(held)).outlook as unknown as Outlook
    const outlook = { inPlace, replace, uncovered: [] } as unknown as Prisma.InputJsonValue
    await db().change.update({ where: { id: held.change.id }, data: { outlook } })
    await approveChange(ada, inputFor(held, 'in-place'))
    expect((await previewRemoval(cy, { policyId: id })).goes).toMatchObject({ changes: 1, ...moves })
  })

  test('machines that were out of service when it was held are updated with it', async () => {
    const held = await at.held()
    const { id } = await says(held, FROZEN)
    await approveChange(ada, inputFor(held, 'in-place'))
    const nothing = { counts: { 'up-to-date': 2 }, created: 0, deleted: 0, headline: '' }
    const before = { inPlace: 2, created: 0, deleted: 0, outOfService: 2 }
    const outlook = { inPlace: nothing, replace: nothing, uncovered: [], before }
    await db().change.update({ where: { id: held.change.id }, data: { outlook } })
    expect((await previewRemoval(cy, { policyId: id })).goes).toMatchObject({ changes: 1, inPlace: 2 })
  })

  test('approved, it goes when nothing holds it any more, or asks again where more are asked', async () => {
    const held = await at.held()
    const { id } = await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    const edited = (rules: Rules) => previewPolicy(cy, { policyId: id, ...draftFor(held, rules) })
    expect(numbers((await edited({ ...FROZEN, readyWithin: '1h' })).atOnce)).toEqual(NOTHING)
    expect(numbers((await edited({ ...FROZEN, approvals: 2 })).atOnce)).toEqual([0, 0, 0, 0, 1])
    expect(numbers((await edited({ approvals: 2 })).atOnce)).toEqual([0, 0, 0, 0, 1])
    // The freeze ends in an hour: what opens before that is sooner, and what opens tomorrow is not.
    const opens = (after: number) => new Date(Date.now() + after).toISOString().slice(0, 16)
    const from = (after: number) => ({ windows: [{ starts: opens(after), lasts: '2h', timeZone: 'UTC' }] })
    const soon = from(HOUR / 2)
    const opensAt = Date.parse(`${soon.windows[0]!.starts}Z`)
    expect((await edited(soon)).atOnce).toMatchObject({
      goes: { changes: 0 },
      sooner: { changes: 1, at: opensAt, first: [{ id: held.change.id }] },
    })
    expect((await edited(from(24 * HOUR))).atOnce?.sooner).toMatchObject({ changes: 0, at: null })
    const said = await previewRemoval(cy, { policyId: id })
    expect(numbers(said)).toEqual([1, 0, 0, 0, 0])
    expect(said).toEqual((await edited({ approvals: 1 })).atOnce)
    await listed(held)
    expect(numbers((await edited({ approvals: 1, maxSurge: 2 })).atOnce)).toEqual([1, 0, 0, 0, 0])
    const paused = (is: boolean) => db().group.update({ where: { id: held.change.groupId }, data: { paused: is } })
    await paused(true)
    const kept = await previewRemoval(cy, { policyId: id })
    expect(kept).toMatchObject({ goes: { changes: 0, replaced: 0 }, staysPaused: { changes: 1 } })
    expect(kept.goes.digest).not.toBe(said.goes.digest)
    await paused(false)
    expect(numbers((await edited({ approvals: 1, maxSurge: 0 })).atOnce)).toEqual(NOTHING)
    await lifted()
    await goInTime(await view())
    expect(await stateOf(held)).toBe('approved')
  })
})

test('a worker group that is held is scaled by then; where it is already, or wants what it has, nothing is said', async () => {
  const held = await at.held()
  await listed(held)
  const becomes = (data: Prisma.GroupUpdateInput) => db().group.update({ where: { id: held.change.groupId }, data })
  await becomes({ held: 'waiting', desiredReplicas: 3 })
  expect(await foretold(held, { scaleWhileHeld: true })).toMatchObject({ scaled: 1, goes: { changes: 0 } })
  expect(await foretold(held, { scaleWhileHeld: false })).toMatchObject({ scaled: 0 })
  await becomes({ desiredReplicas: 1 })
  expect(await foretold(held, { scaleWhileHeld: true })).toMatchObject({ scaled: 0 })
  await becomes({ desiredReplicas: 3 })
  await says(held, { scaleWhileHeld: true })
  expect(await foretold(held, { reasonRequired: true })).toMatchObject({ scaled: 0 })
})

describe('what is under way', () => {
  test('is held where its time is over by then', async () => {
    const held = await running()
    expect(numbers(await foretold(held, { approvals: 3 }))).toEqual(NOTHING)
    const said = await foretold(held, CLOSED)
    expect(numbers(said)).toEqual([0, 0, 1, 0, 0])
    expect(said?.held.first).toMatchObject([{ id: held.change.id }])
    await says(held, CLOSED)
    await holdToTimes(await view())
    await expectHeld(held)
  })

  test('is held later where a freeze begins, or its window ends, within a day', async () => {
    const held = await running()
    const [soon, far] = [3_600_000, 3 * 24 * 3_600_000].map((ms) =>
      new Date(Date.now() + ms).toISOString().slice(0, 16),
    )
    const frozen = (starts: string, ends: string) => ({ freezes: [{ starts, ends, timeZone: 'UTC', why: 'sale' }] })
    const said = await foretold(held, frozen(soon!, far!))
    expect(numbers(said)).toEqual(NOTHING)
    expect(said?.heldLater).toMatchObject({ changes: 1, at: Date.parse(`${soon}Z`), first: [{ id: held.change.id }] })
    const later = new Date(Date.now() + 4 * 24 * 3_600_000).toISOString().slice(0, 16)
    expect((await foretold(held, frozen(far!, later)))?.heldLater).toMatchObject({ changes: 0, at: null })
    await says(held, frozen(soon!, far!))
    // As it is without the draft.
    expect((await foretold(held, { approvals: 2 }))?.heldLater).toMatchObject({ changes: 0 })
  })

  test('is held so also where waves come with that time', async () => {
    const held = await running()
    const rules = { ...CLOSED, waves: [{ name: 'all' }] }
    expect(numbers(await foretold(held, rules))).toEqual([0, 0, 1, 0, 0])
  })

  test('goes on in whatever wave it comes to be', async () => {
    const held = await running()
    expect(numbers(await foretold(held, { waves: [{ name: 'a', ownApproval: true }] }))).toEqual(NOTHING)
  })

  test('let go, and not begun: that it is held where its wave is shut is said', async () => {
    const held = await at.held()
    await approveChange(ada, inputFor(held))
    const rules = { waves: [{ name: 'a', ownApproval: true }] }
    expect(await foretold(held, rules)).toMatchObject({ held: { changes: 0 }, mayHold: { changes: 1 } })
    await says(held, rules)
    await placeInWaves(await view())
    await holdToTimes(await view())
    await expectHeld(held)
  })

  test('stops where so many of its machines failed already; looking at that marks nothing', async () => {
    const held = await running()
    const { id: changeId, clusterId, namespace, groupName } = await row(held)
    const machine = { clusterId, namespace, groupKind: 'MachineDeployment', groupName }
    const failed = { changeId, machineId: randomUUID(), machineName: 'm-1', state: 'failed' }
    await db().machineProgress.create({ data: { ...failed, failedAt: new Date(), failedWhy: 'it failed' } })
    expect(numbers(await foretold(held, { stopsAt: 2 }))).toEqual(NOTHING)
    expect(numbers(await foretold(held, { stopsAt: 1 }))).toEqual([0, 0, 0, 1, 0])
    expect(await db().machine.count({ where: machine })).toBe(0)
    await says(held, { stopsAt: 1 })
    await stopFailing(await view())
    expect((await row(held)).stoppedAt).not.toBeNull()
  })

  test('stops where so many failed that nobody counted yet, or that are late by then', async () => {
    const held = await running()
    const { id: changeId, clusterId, namespace, groupName, workloadCluster } = await row(held)
    const hourAgo = new Date(Date.now() - HOUR)
    const make = async (name: string, error: string | null) => {
      const { id } = await db().machine.create({
        data: {
          ...{
            id: randomUUID(),
            clusterId,
            namespace,
            name,
            groupKind: 'MachineDeployment',
            groupName,
            workloadCluster,
          },
          ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'new', sentence: 's', error },
          ...{ resourceVersion: '1', createdAt: hourAgo },
        },
      })
      const progress = { changeId, machineId: id, machineName: name, startedAt: hourAgo, updater: 'u' }
      await db().machineProgress.create({ data: { ...progress, state: 'done', finishedAt: hourAgo } })
    }
    await make('late', null)
    await make('failed', 'it failed')
    expect(numbers(await foretold(held, { stopsAt: 1, readyWithin: '2h' }))).toEqual([0, 0, 0, 1, 0])
    expect(numbers(await foretold(held, { stopsAt: 2, readyWithin: '2h' }))).toEqual(NOTHING)
    expect(numbers(await foretold(held, { stopsAt: 2, readyWithin: '10m' }))).toEqual([0, 0, 0, 1, 0])
    expect(await db().machineProgress.count({ where: { changeId, failedAt: { not: null } } })).toBe(0)
    await says(held, { stopsAt: 2, readyWithin: '10m' })
    await stopFailing(await view())
    expect((await row(held)).stoppedAt).not.toBeNull()
  })
})

test('labels that are not known yet let nothing go', async () => {
  const [held, stopped] = [await at.held(), await running()]
  await db().change.update({ where: { id: stopped.change.id }, data: { stoppedAt: new Date() } })
  const { clusterId, namespace, workloadCluster: name } = held.change
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  const draft = { name: 'labels', spec: { select: { labels: { env: '*' } }, reasonRequired: true } }
  expect(numbers((await previewPolicy(cy, draft)).atOnce)).toEqual(NOTHING)
  const { id } = await savePolicy(cy, draft)
  // What stopped before is not held by that.
  expect((await previewRemoval(cy, { policyId: id })).held.changes).toBe(0)
  await db().change.updateMany({ where: { id: { not: held.change.id } }, data: { state: 'superseded' } })
  expect(numbers(await previewRemoval(cy, { policyId: id }))).toEqual(NOTHING)
  await says(held, itself)
  await admit(await view(), held.change.groupId)
  expect(await stateOf(held)).toBe('waiting')
  // Nobody asks for them any more.
  expect(numbers(await previewRemoval(cy, { policyId: id }))).toEqual([1, 0, 0, 0, 0])
  await db().rolloutPolicy.delete({ where: { id } })
  await admit(await view(), held.change.groupId)
  expect(await stateOf(held)).toBe('approved')
})
