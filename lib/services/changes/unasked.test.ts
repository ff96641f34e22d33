import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { cy } from '@/testenv/timed'
import { savePolicy } from '../policies/save-policy'
import { changeDto } from './change-row'
import { standingsWhereKnown } from './standing'

useTestDatabase()

test('where many stand that their policy asks nobody about takes no more queries than where a few do', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  await savePolicy(cy, { name: randomUUID(), spec: { select: {}, approvals: 0, strategy: 'replace' } })
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const changes = [{ object: 'machine', path: 'version', current: 'v1', desired: 'v2' }]
  const pairs = [{ from: 'ms1', machines: 1, fingerprint: 'p', changes }]
  await db().change.createMany({
    data: Array.from({ length: 60 }, (_, i) => ({
      ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: `g${i}` },
      ...{ workloadCluster: 'lab', fingerprint: 'f', state: 'waiting' as const, summary: 's', machines: 1 },
      ...{ heldBy: 'latch' as const, resourceVersion: '1', changeSet: { pairs, fields: [] } },
      // Some began, and were held again by their times.
      dueMode: i % 2 === 0 ? ('replace' as const) : null,
      outlook: { inPlace: null, replace: outcome, uncovered: [] },
    })),
  })
  const include = { cluster: { select: { name: true } }, decisions: true }
  const all = (await db().change.findMany({ include, orderBy: { id: 'asc' } })).map(changeDto)
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  const queries = async (most: number) => {
    // The first takes the connections.
    await standingsWhereKnown(all.slice(0, most))
    spy.mockClear()
    const standings = await standingsWhereKnown(all.slice(0, most))
    expect([...standings.values()].filter(({ unasked }) => unasked?.goes).length).toBeGreaterThan(0)
    // A connection that is new says how long it may be idle.
    return spy.mock.calls.filter(([sql]) => !String(sql).startsWith('SET ')).length
  }
  const few = await queries(10)
  expect(few).toBeGreaterThan(0)
  expect(await queries(60)).toBe(few)
  spy.mockRestore()
})

test('approved, and expired before its time: where its policy asks nobody by now, it goes by that, and asks for none', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  await savePolicy(cy, {
    name: randomUUID(),
    spec: { select: { names: ['lapsed'] }, approvals: 0, strategy: 'replace' },
  })
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const { id } = await db().change.create({
    data: {
      ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: 'lapsed' },
      ...{ workloadCluster: 'lab', fingerprint: 'f', state: 'waiting', summary: 's', machines: 1 },
      ...{ heldBy: 'latch', resourceVersion: '1', changeSet: { pairs: [], fields: [] }, dueMode: 'replace' },
      outlook: { inPlace: null, replace: outcome, uncovered: [] },
    },
  })
  const given = { changeId: id, actorId: cy.actor.id, actorName: 'Cy', mode: 'replace', fingerprint: 'f' }
  await db().approval.create({
    data: { ...given, at: new Date(Date.now() - 9e6), expiresAt: new Date(Date.now() + 9e6) },
  })
  const include = { cluster: { select: { name: true } }, decisions: true }
  const unasked = async () => {
    const change = changeDto(await db().change.findUniqueOrThrow({ where: { id }, include }))
    return (await standingsWhereKnown([change])).get(id)!.unasked
  }
  expect(await unasked()).toBeNull()
  await db().approval.updateMany({ where: { changeId: id }, data: { expiresAt: new Date(Date.now() - 1000) } })
  expect(await unasked()).toEqual({ goes: true, why: null })
})
