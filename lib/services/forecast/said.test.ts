import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { plannedOf } from '../changes/planned'
import { systemCtx } from '../context'
import { isAsSaid } from './as-said'
import { forecastChange } from './forecast-change'
import { planOf } from './plan'
import { waiting } from './testing/waiting'

useTestDatabase()
const gateOn = { state: 'on', how: '' } as const
const ON = { gates: { inPlaceUpdates: gateOn, runtimeSdk: gateOn } } as Capabilities

test.each([
  [['a'], '1', [1, 2, 2]],
  [['c'], '1', [1, 2, 2]],
  [['b', 'c'], '1', [0, 3, 3]],
  [['c'], '0', [2, 1, 1]],
] as const)(
  'a control plane with %j marked, surge %s: what is said is what is played',
  async (marked, maxSurge, numbers) => {
    const made = await waiting(['a', 'b', 'c'], { kind: 'KubeadmControlPlane', maxSurge })
    const { clusterId, groupId, namespace } = made.change
    const where = { clusterId, name: { in: [...marked] } }
    await db().machine.updateMany({ where, data: { deleteMarked: true } })
    const pair = (from: string, i: number) => ({
      ...{ from, machines: 1, createdAt: new Date(1000 * (i + 1)).toISOString(), fingerprint: from },
      changes: [{ object: 'machine' as const, path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }],
      ...((marked as readonly string[]).includes(from) ? { certainReplace: 'It is marked.' } : {}),
    })
    const compared = ['a', 'b', 'c'].map((name, i) => ({ pair: pair(name, i), question: null }))
    const planning = {
      ...{ clusterId, updaters: ['u'], gate: { state: 'ok' } as never, capabilities: ON },
      look: () => ({ coverage: { uncovered: [] }, by: new Map<string, string>() }),
    }
    const { outlook, changeSet } = await plannedOf(planning, {
      ...{ owner: { uid: groupId, namespace, name: 'md', kind: 'KubeadmControlPlane' }, replicas: 3, digest: 'd' },
      ...{ fingerprint: 'f', strategy: { type: 'RollingUpdate', maxSurge: Number(maxSurge) }, pairs: compared },
    })
    const data = { changeSet: changeSet as never, outlook: outlook as never }
    const change = await db().change.update({ where: { id: made.change.id }, data })
    const { plan } = (await planOf(change, 'in-place'))!
    expect([plan.updated, plan.created, plan.deleted]).toEqual(numbers)
    expect(isAsSaid(outlook.inPlace!, plan)).toBe(true)
    expect(isAsSaid(outlook.replace, (await planOf(change, 'replace'))!.plan)).toBe(true)
  },
)

test('workers whose control plane changes its version, or has another one, are said to stand still', async () => {
  const made = await waiting(['a', 'b'])
  const { clusterId, namespace } = made.change
  const notes = async () => (await forecastChange(systemCtx('test'), { id: made.change.id })).notes
  const where = { clusterId, namespace, workloadCluster: 'w' }
  const plane = { ...where, id: randomUUID(), kind: 'KubeadmControlPlane', apiVersion: 'x', name: 'cp' }
  await db().group.create({ data: { ...plane, version: 'v2.1.0', resourceVersion: '1', createdAt: new Date(0) } })
  await db().change.update({ where: { id: made.change.id }, data: { toVersion: 'v2.2.0', fingerprint: 'g' } })
  expect(await notes()).toEqual([expect.stringContaining('runs v2.1.0')])
  await db().change.create({
    data: {
      ...{ ...where, groupId: plane.id, groupKind: plane.kind, groupName: 'cp', fingerprint: 'f', state: 'waiting' },
      ...{ summary: '', toVersion: 'v2.2.0', heldBy: 'latch', resourceVersion: '1', machines: 3 },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: {} },
    },
  })
  await db().change.update({ where: { id: made.change.id }, data: { toVersion: 'v2.1.1', fingerprint: 'h' } })
  expect(await notes()).toEqual([expect.stringContaining('has a version change of its own')])
})
