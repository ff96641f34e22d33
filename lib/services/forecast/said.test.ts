import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { plannedOf } from '../changes/planned'
import { systemCtx } from '../context'
import { isAsSaid } from './as-said'
import { fidelityOf } from './fidelity'
import { forecastChange } from './forecast-change'
import { keepForetold } from './foretell'
import { planOf } from './plan'
import { infrastructureNotes } from './preflight'
import { waiting } from './testing/waiting'

useTestDatabase()
const gateOn = { state: 'on', how: '' } as const
const ON = { gates: { inPlaceUpdates: gateOn, runtimeSdk: gateOn } } as Capabilities

interface Machines {
  marked?: readonly string[]
  /** Of the wanted revision already. */
  wanted?: readonly string[]
  ill?: readonly string[]
  updating?: readonly string[]
  /** Going already: of no revision any more. */
  deleting?: readonly string[]
  /** Replaced whatever is approved, without a mark. */
  certain?: readonly string[]
  /** Failure domains: those that the cluster lists, and the machines in theirs. */
  domains?: { listed: string[]; of: Record<string, string> }
}

/** A control plane of a, b and c, the oldest first, whose change is planned as the planner does. */
async function planned(
  maxSurge: string,
  { marked = [], wanted = [], ill = [], updating = [], deleting = [], certain = [], domains }: Machines,
) {
  const made = await waiting(['a', 'b', 'c'], { kind: 'KubeadmControlPlane', maxSurge })
  const { clusterId, groupId, namespace } = made.change
  const set = (names: readonly string[], data: object) =>
    db().machine.updateMany({ where: { clusterId, name: { in: [...names] } }, data })
  await set(marked, { deleteMarked: true })
  await set(ill, { ready: false, available: false, state: 'not-ready' })
  await set(updating, { updating: true, available: false })
  await set(deleting, { deleting: true, ready: false, available: false, state: 'deleting' })
  for (const [name, failureDomain] of Object.entries(domains?.of ?? {})) await set([name], { failureDomain })
  if (domains)
    await db().workloadCluster.create({
      data: { id: randomUUID(), clusterId, namespace, name: 'w', provider: 'x', domains: domains.listed },
    })
  const changes = [{ object: 'machine' as const, path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }]
  const pairs = ['a', 'b', 'c'].flatMap((from, i) => {
    if (wanted.includes(from) || deleting.includes(from)) return []
    const createdAt = new Date(1000 * (i + 1)).toISOString()
    const sure = marked.includes(from) || certain.includes(from) ? { certainReplace: 'It is certain.' } : {}
    return [{ pair: { from, machines: 1, createdAt, fingerprint: from, changes, ...sure }, question: null }]
  })
  const planning = {
    ...{ clusterId, updaters: ['u'], gate: { state: 'ok' } as never, capabilities: ON },
    look: () => ({ coverage: { uncovered: [] }, by: new Map<string, string>() }),
  }
  const { outlook, changeSet, verdicts } = await plannedOf(planning, {
    ...{ owner: { uid: groupId, namespace, name: 'md', kind: 'KubeadmControlPlane' }, replicas: 3, digest: 'd' },
    ...{ fingerprint: 'f', strategy: { type: 'RollingUpdate', maxSurge: Number(maxSurge) }, pairs },
  })
  const data = { changeSet: changeSet as never, outlook: outlook as never }
  return { outlook, verdicts, change: await db().change.update({ where: { id: made.change.id }, data }) }
}

test.each<[string, string, Machines, number[]]>([
  ['the oldest is marked', '1', { marked: ['a'] }, [1, 2, 2]],
  ['the newest is marked', '1', { marked: ['c'] }, [1, 2, 2]],
  ['one is marked, and none comes first', '0', { marked: ['c'] }, [2, 1, 1]],
  ['one that is what is wanted is marked', '1', { marked: ['c'], wanted: ['c'] }, [1, 2, 2]],
  ['the newest is marked, and the oldest is not well', '1', { marked: ['c'], ill: ['a'] }, [1, 2, 2]],
  ['one is going already', '1', { deleting: ['c'] }, [1, 2, 1]],
  ['one is going already, and none comes first', '0', { deleting: ['c'] }, [2, 1, 0]],
  [
    'the youngest has its turn first, for its failure domain is gone',
    '1',
    { certain: ['a', 'b'], domains: { listed: ['d1', 'd2', 'd3'], of: { a: 'd1', b: 'd2', c: 'gone' } } },
    [1, 2, 2],
  ],
  ['one is being updated already', '1', { wanted: ['b'], updating: ['b'] }, [1, 1, 1]],
])('a control plane, %s: what is said is what is played', async (_, maxSurge, machines, numbers) => {
  const { change, outlook } = await planned(maxSurge, machines)
  const { counts, created, deleted } = outlook.inPlace!
  expect([(counts['in-place'] ?? 0) + (counts['in-place-with-spare'] ?? 0), created, deleted]).toEqual(numbers)
  // What is not well keeps it from being played to its end.
  if (machines.ill) return
  expect(isAsSaid(outlook.inPlace!, (await planOf(change, 'in-place'))!)).toBe(true)
  expect(isAsSaid(outlook.replace, (await planOf(change, 'replace'))!)).toBe(true)
})

test('a marked machine that is what is wanted goes first: its verdict says so, where others are outdated', async () => {
  const { verdicts } = await planned('1', { marked: ['c'], wanted: ['c'] })
  expect(verdicts.get('c')).toMatchObject({ verdict: 'replace', reason: expect.stringContaining('marked') as unknown })
  expect((await planned('1', { marked: ['c'], wanted: ['a', 'b', 'c'] })).verdicts.size).toBe(0)
})

test('a machine that is still at work on what was wanted before counts with those that are updated', async () => {
  const { change } = await waiting(['a', 'b', 'c'], { maxSurge: '0', unavailable: '1' })
  await db().machine.updateMany({
    where: { clusterId: change.clusterId, name: 'b' },
    data: { updating: true, available: false },
  })
  const said = { counts: { 'in-place': 3 }, created: 0, deleted: 0, headline: '' }
  const planned = (await planOf(change, 'in-place'))!
  expect(planned.plan).toMatchObject({ updated: 3 })
  expect(isAsSaid(said, planned)).toBe(true)
})

test('what was coming when it was approved is not held against what was foretold', async () => {
  const made = await waiting(['a', 'b', 'c'])
  const { id: changeId, clusterId } = made.change
  const coming = { machineSet: 'new', ready: false, available: false, state: 'provisioning', createdAt: new Date() }
  await db().machine.updateMany({ where: { clusterId, name: 'c' }, data: coming })
  const foretold = (await planOf(made.change, 'replace'))!
  expect(foretold).toMatchObject({ plan: { created: 3 }, before: { created: 1 } })
  const id = randomUUID()
  const decided = { id, changeId, fingerprint: 'f', mode: 'replace', actorId: 'a', actorName: 'a', state: 'seen' }
  await db().decision.create({ data: decided })
  await db().$transaction((tx) => keepForetold(tx, id, changeId, { ...foretold, goneBefore: 0 }))
  const at = { startedAt: new Date(Date.now() + 1_000), finishedAt: new Date(Date.now() + 1_000) }
  const old = { changeId, machineName: { in: ['a', 'b'] } }
  await db().machineProgress.updateMany({ where: old, data: { state: 'deleted', predicted: 'replace', ...at } })
  await db().machineProgress.updateMany({
    where: { changeId, machineName: 'c' },
    data: { state: 'done', predicted: null },
  })
  for (const machineName of ['n1', 'n2'])
    await db().machineProgress.create({
      data: { changeId, machineId: randomUUID(), machineName, state: 'created', ...at },
    })
  expect(await db().$transaction((tx) => fidelityOf(tx, changeId))).toEqual({ foretold: 4, asForetold: 4 })
})

test('a control plane of which a spare leaves none to be updated in place is not offered in place', async () => {
  const { outlook } = await planned('1', { marked: ['b', 'c'] })
  expect(outlook).toMatchObject({ inPlace: null, replace: { counts: { replace: 3 }, created: 3, deleted: 3 } })
  expect(outlook.whyNotInPlace).toContain('none is left to be updated in place')
})

test('workers whose control plane changes its version, or has another one, are said to stand still', async () => {
  const made = await waiting(['a', 'b'])
  const { clusterId, namespace } = made.change
  const notes = async () => (await forecastChange(systemCtx('test'), { id: made.change.id })).notes
  const where = { clusterId, namespace, workloadCluster: 'w' }
  const plane = { ...where, id: randomUUID(), kind: 'KubeadmControlPlane', apiVersion: 'x', name: 'cp' }
  await db().group.create({ data: { ...plane, version: 'v2.1.0', resourceVersion: '1', createdAt: new Date(0) } })
  await db().change.update({ where: { id: made.change.id }, data: { toVersion: 'v2.2.0', fingerprint: 'g' } })
  expect(await notes()).toEqual([expect.stringContaining('is to run v2.1.0')])
  await db().change.create({
    data: {
      ...{ ...where, groupId: plane.id, groupKind: plane.kind, groupName: 'cp', fingerprint: 'f', state: 'waiting' },
      ...{ summary: '', toVersion: 'v2.2.0', heldBy: 'latch', resourceVersion: '1', machines: 3 },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: {} },
    },
  })
  // Its Cluster gives it the same, and it has not got that yet: they are not said to differ.
  await db().change.update({ where: { id: made.change.id }, data: { fingerprint: 'h' } })
  expect(await notes()).toEqual([expect.stringContaining('has a version change of its own')])
})

test('infrastructure that would be changed in place: what becomes of it where the provider refuses', () => {
  const changes = [{ object: 'infrastructure' as const, path: 'flavor', desired: 'big' }]
  const pair = { from: 'a', machines: 1, fingerprint: 'f', changes }
  const replace = { counts: {}, created: 0, deleted: 0, headline: '' }
  const outlook = { inPlace: replace, replace, uncovered: [] }
  const notes = (kind: string, certainReplace?: string, offered = true) =>
    infrastructureNotes(
      kind,
      { pairs: [{ ...pair, ...(certainReplace ? { certainReplace } : {}) }] },
      { ...outlook, inPlace: offered ? replace : null },
    )
  expect(notes('KubeadmControlPlane')).toEqual([expect.stringContaining('replaced without anybody being asked')])
  expect(notes('MachineDeployment')).toEqual([expect.stringContaining('hangs in its update')])
  expect(notes('MachineDeployment', 'It is certain.')).toEqual([])
  expect(notes('MachineDeployment', undefined, false)).toEqual([])
})
