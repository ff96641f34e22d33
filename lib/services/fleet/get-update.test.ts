import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { getUpdate } from './list-updates'

useTestDatabase()
const ctx = systemCtx('test')

test('a change names the newest one of its group that came after it, and no other group’s', async () => {
  const { id: clusterId } = await db().managementCluster.create({
    data: { name: 'east', server: 'https://127.0.0.1:1' },
  })
  const [one, other] = [randomUUID(), randomUUID()]
  const write = (groupId: string, summary: string, minute: number) =>
    db().change.create({
      data: {
        ...{ clusterId, groupId, groupKind: 'MachineDeployment', namespace: 'payments', groupName: 'workers' },
        ...{ workloadCluster: 'prod', fingerprint: 'a', state: 'superseded', summary, heldBy: 'latch' },
        ...{ changeSet: { pairs: [], fields: [] }, resourceVersion: '1', machines: 1 },
        outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
        detectedAt: new Date(1_700_000_000_000 + minute * 60_000),
      },
    })
  const first = await write(one, 'v1 → v2', 0)
  await write(one, 'v1 → v3', 1)
  const last = await write(one, 'v1 → v4', 2)
  await write(other, 'v1 → v9', 3)
  expect((await getUpdate(ctx, first.id)).newer).toEqual({ id: last.id, summary: 'v1 → v4' })
  expect(await getUpdate(ctx, last.id)).toMatchObject({ newer: null, letGoOutside: false, heldWords: null })
  const common = {
    clusterId,
    namespace: 'payments',
    name: 'workers',
    kind: 'MachineDeployment',
    workloadCluster: 'prod',
  }
  const held = 'Stopped by Drydock: its registration is gone'
  const version = { apiVersion: 'cluster.x-k8s.io/v1beta2', resourceVersion: '1', createdAt: new Date() }
  await db().group.create({ data: { ...common, ...version, id: one, held } })
  expect(await getUpdate(ctx, last.id)).toMatchObject({ heldWords: held, heldBy: 'latch' })

  const target = { kind: 'MachineDeployment', id: last.id, name: 'payments/workers' }
  await db().$transaction((tx) => recordAudit(tx, ctx, { action: 'change.let-go', target }))
  expect((await getUpdate(ctx, last.id)).letGoOutside).toBe(true)
  expect((await getUpdate(ctx, first.id)).letGoOutside).toBe(false)
})
