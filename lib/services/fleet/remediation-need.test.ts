import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from '../context'
import { needsYou } from './needs-you'

useTestDatabase()
const as = (role: 'viewer' | 'approver'): Ctx => ({ actor: { kind: 'user', id: role, name: role, role } })

test('a rollout of which remediation deletes machines is put before people until it is skipped, or over', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })
  const outcome = { counts: { 'in-place': 8 }, created: 0, deleted: 0, headline: '' }
  const { id } = await db().change.create({
    data: {
      ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: 'g' },
      ...{ workloadCluster: 'w', fingerprint: 'f', state: 'running', summary: 'v1 → v2', heldBy: 'latch' },
      ...{ resourceVersion: '1', changeSet: { pairs: [], fields: [] }, machines: 8, startedAt: new Date() },
      outlook: { inPlace: outcome, replace: outcome, uncovered: [] },
      decisions: {
        create: { fingerprint: 'f', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' },
      },
    },
  })
  const set = (data: Prisma.ChangeUpdateInput) => db().change.update({ where: { id }, data })
  const happened = (remediated?: number) =>
    set({ outcome: { updatedInPlace: 1, created: 0, deleted: 5, failed: 0, ...(remediated ? { remediated } : {}) } })
  const needs = async (role: 'viewer' | 'approver' = 'approver') =>
    (await needsYou(as(role), {})).filter(({ kind }) => kind === 'remediated')

  await happened()
  expect(await needs()).toEqual([])
  await happened(5)
  expect(await needs()).toMatchObject([
    {
      where: 'm / w / g',
      sentence: 'Approved in place, and 5 of its 8 machines were deleted by remediation',
      detail: 'v1 → v2: skip remediation for the rest, or pause it',
      action: { href: `/updates/${id}` },
    },
  ])
  expect(await needs('viewer')).toMatchObject([{ action: { label: 'Review' } }])
  await set({ skipsBy: 'Ada', skipsAt: new Date() })
  expect(await needs()).toEqual([])
  // What was asked for does not come about.
  await set({ skipsRefused: 'forbidden' })
  expect(await needs()).toHaveLength(1)
  await set({ skipsAt: null, skipsRefused: null, state: 'done' })
  expect(await needs()).toEqual([])
})
