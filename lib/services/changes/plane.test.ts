import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure, inputFor, latchedCluster } from '@/testenv/deciding'
import { planeRows, said, saysOf } from '@/testenv/plane'
import { approveChange } from './approve-change'
import { planeOf } from './plane'
import { previewDecision } from './preview-decision'

useTestDatabase()
const at = latchedCluster()
const approver = as('approver')
const preview = (changeId: string) => previewDecision(approver, { changeId, mode: 'in-place' })

test('a control plane as it stands: its machines in their order, its etcd, and how old that is', async () => {
  const held = await at.held('KubeadmControlPlane')
  const [a, b] = await planeRows(held, ['a', 'b', 'c'])
  await db().machine.update({ where: { id: a }, data: { failureDomain: 'z2', deleting: true } })
  await db().machine.update({ where: { id: b }, data: { failureDomain: 'z1', updating: true } })
  expect(await planeOf(db(), held.change)).toMatchObject({
    ...{ etcd: 'managed', members: 3, healthy: 3, quorum: 2, spare: 1, frozen: false, hangs: null },
    machines: [
      { name: 'b', failureDomain: 'z1', member: 'healthy', going: 'updating' },
      { name: 'a', failureDomain: 'z2', member: 'healthy', going: 'deleting' },
      { name: 'c', failureDomain: null, member: 'healthy', going: null },
    ],
  })
  const where = { where: { id: held.change.groupId } }
  await db().group.update({ ...where, data: { held: 'why' } })
  expect(await planeOf(db(), held.change)).toMatchObject({ frozen: { since: null }, hangs: 'a' })
  const lastTransitionTime = '2026-01-02T03:04:05Z'
  await db().group.update({ ...where, data: { conditions: [{ type: 'Paused', status: 'True', lastTransitionTime }] } })
  expect((await planeOf(db(), held.change))!.frozen).toEqual({ since: lastTransitionTime })
  await saysOf(a!, said({}, { hook: false }))
  expect((await planeOf(db(), held.change))!.hangs).toBeNull()
  expect(await planeOf(db(), { ...held.change, groupKind: 'MachineDeployment' })).toBeNull()
})

test('with an ill member, one of which nothing is known, or nothing known at all, its name is typed', async () => {
  const held = await at.held('KubeadmControlPlane')
  const { id: changeId } = held.change
  expect(await preview(changeId)).toMatchObject({ needsTypedName: held.name, risks: [expect.any(String)] })
  const [id] = await planeRows(held, ['a', 'b', 'c'])
  expect(await preview(changeId)).toMatchObject({ needsTypedName: null, risks: [] })
  for (const plane of [said({ EtcdMemberHealthy: 'False' }), said({}, { node: 'not-ready' }), null]) {
    await saysOf(id!, plane)
    expect((await preview(changeId)).needsTypedName).toBe(held.name)
    const refused = await failure(approveChange(approver, inputFor(held, 'in-place')))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    expect(refused.message).toMatch(/etcd member of a/)
  }
  expect(await db().decision.count({ where: { changeId } })).toBe(0)
  const named = await approveChange(approver, { ...inputFor(held, 'in-place'), typedName: held.name }).catch(String)
  expect(JSON.stringify(named)).not.toContain('typedName')
  const [approval] = await db().approval.findMany({ where: { changeId } })
  expect(approval).toMatchObject({ typedName: true })
})

test('the ill one goes first where all machines are there that the rollout has; with fewer everything waits until it is well', async () => {
  const held = await at.held('KubeadmControlPlane')
  const [a, , c] = await planeRows(held, ['a', 'b', 'c'])
  await saysOf(c!, said({ EtcdMemberHealthy: 'False' }))
  const told = async (maxSurge: string, over: object = {}) => {
    await db().group.update({ where: { id: held.change.groupId }, data: { desiredReplicas: 3, maxSurge, ...over } })
    const { unasked, waits } = (await planeOf(db(), held.change))!
    return { unasked: unasked !== null, waits: waits !== null }
  }
  const [goes, waits] = [
    { unasked: true, waits: false },
    { unasked: false, waits: true },
  ]
  expect([await told('0'), await told('1'), await told('1', { desiredReplicas: 2 })]).toEqual([goes, waits, goes])
  await db().machine.update({ where: { id: a }, data: { deleting: true } })
  expect(await told('0')).toEqual(waits)
  await db().machine.delete({ where: { id: a } })
  expect(await told('0')).toEqual(waits)
})

test('while a spare joins, the ill one is told to be the next that may go, unasked; not where one is made first', async () => {
  const held = await at.held('KubeadmControlPlane')
  const [, , c, spare] = await planeRows(held, ['a', 'b', 'c', 'd'])
  await saysOf(c!, said({ EtcdMemberHealthy: 'False' }))
  await db().machine.update({ where: { id: spare }, data: { node: null, verdict: 'up-to-date' } })
  const told = async (data: object) => {
    await db().group.update({ where: { id: held.change.groupId }, data })
    const { unasked, mayGo, waits, noneToSpare } = (await planeOf(db(), held.change))!
    return { unasked, mayGo, waits, noneToSpare: noneToSpare !== null }
  }
  const none = { unasked: null, waits: null, noneToSpare: true }
  expect(await told({ desiredReplicas: 3, maxSurge: '1' })).toEqual({
    ...none,
    mayGo: 'c is not healthy: once all others are well, Cluster API may delete it next, and asks nobody about it.',
  })
  expect(await told({ desiredReplicas: 4 })).toEqual({ ...none, mayGo: null })
})

test('of an etcd that is an external one nothing is said of members, unless they are on its machines still', async () => {
  const held = await at.held('KubeadmControlPlane')
  const ways = ['in-place', 'replace'] as const
  const said = async () => {
    const all = ways.map((mode) => previewDecision(approver, { changeId: held.change.id, mode }))
    return (await Promise.all(all)).map(({ irreversible }) => irreversible.join(' '))
  }
  expect(await said()).toEqual(ways.map(() => expect.stringContaining('etcd') as string))
  const external = () => db().group.update({ where: { id: held.change.groupId }, data: { etcd: 'external' } })
  await external()
  expect(await said()).toEqual(ways.map(() => expect.not.stringContaining('etcd') as string))
  await planeRows(held, ['a', 'b', 'c'])
  await external()
  expect(await said()).toEqual(ways.map(() => expect.stringContaining('fresh backup of etcd') as string))
})
