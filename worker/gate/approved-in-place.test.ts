import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approvedInPlace } from './approved-in-place'

useTestDatabase()
const clusterId = randomUUID()
const fingerprint = 'f'.repeat(64)

beforeAll(async () => {
  const latchForm = 'policy-v1'
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1', latchForm } })
})

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const actor = { actorId: 'a', actorName: 'Ada' }
const decided = (at: Date) => ({ fingerprint, ...actor, recordedAt: at, sentAt: at, acceptedAt: at })

const versionOf = (desired: string) => ({ object: 'machine', path: 'version', current: 'v1', desired })

/** Approved in place, superseded, and of a group of its own; nothing of it is in force any more. */
async function overtaken(end: object | null) {
  const name = `over-${randomUUID()}`
  const machine = `m-${randomUUID()}`
  const over = {
    ...{ clusterId, groupId: randomUUID(), namespace: 'fleet', name, kind: 'MachineDeployment' as const },
    ...{ workloadCluster: 'c1', machine },
  }
  const change = (more: object) =>
    db().change.create({
      data: {
        ...{ clusterId, groupId: over.groupId, groupKind: over.kind, namespace: 'fleet', groupName: name },
        ...{ fingerprint, workloadCluster: 'c1', summary: 's', outlook: {}, heldBy: 'latch', resourceVersion: '1' },
        ...{ machines: 3, changeSet: { pairs: [{ from: 'a', machines: 3, fingerprint, changes: [] }], fields: [] } },
        ...{ state: 'superseded', ...more },
      },
    })
  const { id: changeId } = await change({ detectedAt: ago(9) })
  const policy = { rules: {}, byItself: false, approvals: [{ ...actor, reason: null, at: ago(8).toISOString() }] }
  await db().decision.create({ data: { changeId, mode: 'in-place', state: 'voided', policy, ...decided(ago(8)) } })
  if (end)
    await db().approval.create({ data: { changeId, fingerprint, mode: 'in-place', ...actor, at: ago(8), ...end } })
  const common = { clusterId, namespace: 'fleet', workloadCluster: 'c1', resourceVersion: '1', createdAt: new Date() }
  const { id: machineId } = await db().machine.create({
    data: {
      ...{ ...common, id: randomUUID(), name: machine, groupKind: over.kind, groupName: name },
      ...{ provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: 's' },
    },
  })
  return {
    ...{ over, changeId, change, machineId, common },
    passed: async () => (await approvedInPlace(over)).flatMap(({ approved }) => approved),
    begun: (of: string, more: object) =>
      db().machineProgress.create({
        data: { changeId: of, machineId, machineName: machine, state: 'updating', ...more },
      }),
    replaces: (of: string, at: Date) =>
      db().decision.create({ data: { changeId: of, mode: 'replace', state: 'accepted', ...decided(at) } }),
    marked: () => db().machine.update({ where: { id: machineId }, data: { updating: true } }),
    wants: (version: string, from = 'a') => ({
      changeSet: { pairs: [{ from, machines: 3, fingerprint: version, changes: [versionOf(version)] }], fields: [] },
    }),
  }
}
const TAKEN_BACK = { endedWhy: 'withdrawn', endedAt: ago(4) }
const VOID = { endedWhy: 'void', endedAt: ago(4) }

test.each([
  ['its approval was taken back', TAKEN_BACK, null],
  ['another change is let go by now', VOID, ago(1)],
])(
  'superseded, and %s: it is passed on for machines that had begun by it, and for no others',
  async (_, end, other) => {
    const { change, changeId, passed, begun, replaces } = await overtaken(end)
    const newer = await change({ state: 'running', detectedAt: ago(4) })
    if (other) await replaces(newer.id, other)
    expect(await passed()).toEqual([])
    await begun(changeId, { startedAt: ago(5) })
    expect(await passed()).toHaveLength(1)
  },
)

test.each([
  ['its approval was taken back before', TAKEN_BACK, null],
  ['the rest is approved replacing', null, ago(1)],
])(
  'begun while its cluster was disconnected, and on record with the change that goes on, and %s: it is passed on to its end',
  async (_, end, other) => {
    const { change, passed, begun, replaces } = await overtaken(end)
    const goesOn = await change({ state: 'running', detectedAt: ago(3) })
    await begun(goesOn.id, { startedAt: ago(2) })
    if (other) await replaces(goesOn.id, other)
    expect(await passed()).toHaveLength(1)
  },
)

test.each([
  ['failed before that was approved', { state: 'failed', startedAt: ago(20) }],
  ['is through', { state: 'done', startedAt: ago(3), finishedAt: ago(2) }],
])('nor does what was taken back count for a machine that %s in another change', async (_, row) => {
  const { change, passed, begun } = await overtaken(TAKEN_BACK)
  await begun((await change({ detectedAt: ago(25) })).id, row)
  expect(await passed()).toEqual([])
})

test('nor for one that failed in a change that was superseded, and was updated by a newer one since', async () => {
  const { change, passed, begun } = await overtaken(TAKEN_BACK)
  await begun((await change({ detectedAt: ago(3) })).id, { state: 'failed', startedAt: ago(3) })
  expect(await passed()).toHaveLength(1)
  await begun((await change({ detectedAt: ago(2) })).id, { state: 'done', startedAt: ago(2), finishedAt: ago(1) })
  expect(await passed()).toEqual([])
})

test('taken back, and marked by Cluster API right before the hold: it had begun, on record or not; where nothing holds its group it had not', async () => {
  const { over, passed, common, machineId: id } = await overtaken(TAKEN_BACK)
  const group = { kind: over.kind, apiVersion: 'cluster.x-k8s.io/v1beta2', name: over.name, held: 'Stopped by Drydock' }
  await db().group.create({ data: { ...common, ...group, id: over.groupId } })
  expect(await passed()).toEqual([])
  await db().machine.update({ where: { id }, data: { state: 'updating' } })
  expect(await passed()).toHaveLength(1)
  await db().group.update({ where: { id: over.groupId }, data: { held: null } })
  expect(await passed()).toEqual([])
})

describe('marked by Cluster API in the moment in which its group is held for a newer change', () => {
  /** The older one wanted v2, and is on record with no machine that began. */
  async function newer(end: object | null, ...wanted: { version: string; mode?: string; state?: string }[]) {
    const made = await overtaken(end)
    const { changeId, change, wants, marked, over, common } = made
    const group = { kind: over.kind, apiVersion: 'cluster.x-k8s.io/v1beta2', name: over.name, governed: true }
    await db().group.create({ data: { ...common, ...group, id: over.groupId } })
    await db().change.update({ where: { id: changeId }, data: wants('v2') })
    for (const [i, { version, mode, state = 'superseded' }] of wanted.entries()) {
      const { id } = await change({ ...wants(version), state, detectedAt: ago(6 - i) })
      if (mode) await db().decision.create({ data: { changeId: id, mode, state: 'seen', ...decided(ago(6 - i)) } })
    }
    await marked()
    return made
  }
  const goesOn = { version: 'v3', mode: 'in-place', state: 'running' }
  const ofOlder = async ({ changeId, over }: Awaited<ReturnType<typeof overtaken>>) =>
    (await approvedInPlace(over)).find(({ id }) => id === changeId)!.approved

  test.each([
    ['that is approved in place', [goesOn]],
    ['that is approved in place, after one that was never', [{ version: 'v4' }, goesOn]],
  ])('%s: it is passed on to its end', async (_, wanted) => {
    const made = await newer(null, ...wanted)
    expect(await ofOlder(made)).toHaveLength(1)
    // What is not marked has still to begin.
    await db().machine.update({ where: { id: made.machineId }, data: { updating: false } })
    expect(await ofOlder(made)).toEqual([])
  })

  test('nor where nothing holds its group in the same write: it may be wanted again, and nobody has seen that yet', async () => {
    const made = await newer(null, goesOn)
    await db().group.update({ where: { id: made.over.groupId }, data: { governed: false } })
    expect(await ofOlder(made)).toEqual([])
    await db().group.update({ where: { id: made.over.groupId }, data: { governed: true } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'watch' } })
    expect(await ofOlder(made)).toEqual([])
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy-v1' } })
    expect(await ofOlder(made)).toHaveLength(1)
  })

  test.each([
    ['and the older approval was taken back', TAKEN_BACK, [goesOn]],
    ['that is approved replacing', null, [{ ...goesOn, mode: 'replace' }]],
    ['that wants the same as the older one', null, [{ ...goesOn, version: 'v2' }]],
    ['after one that wanted the same again', null, [{ version: 'v4' }, { version: 'v2' }, goesOn]],
    ['and the same is wanted again since', null, [goesOn, { version: 'v2', state: 'waiting' }]],
    ['that is through', null, [{ ...goesOn, state: 'done' }]],
  ])('%s: what was approved before counts no more', async (_, end, wanted) => {
    expect(await ofOlder(await newer(end, ...wanted))).toEqual([])
  })
})
