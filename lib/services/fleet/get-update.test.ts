import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
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

describe('a change that is over', () => {
  const begun = new Date(1_700_000_000_000)
  const over = async (state: string, steps: [name: string, state: string, more?: object][], later: string[] = []) => {
    const { id: clusterId } = await db().managementCluster.create({
      data: { name: randomUUID(), server: 'https://127.0.0.1:1' },
    })
    const group = { groupKind: 'MachineDeployment', groupName: 'workers', namespace: 'payments' }
    const { id } = await db().change.create({
      data: {
        ...{ clusterId, groupId: randomUUID(), ...group, workloadCluster: 'prod', fingerprint: 'a', state },
        ...{ summary: 'v1 → v2', heldBy: 'latch', resourceVersion: '1', machines: 3, detectedAt: begun },
        ...{ finishedAt: new Date(begun.getTime() + 60_000), changeSet: { pairs: [], fields: [] } },
        outlook: { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline: '' }, uncovered: [] },
      },
    })
    const machine = (name: string) => ({
      ...{ id: randomUUID(), clusterId, provider: 'x', workloadCluster: 'prod', name, ...group, phase: 'Running' },
      ...{ state: 'ready', sentence: 'Ready', resourceVersion: '1', createdAt: new Date(), verdict: 'replace' },
    })
    const there = [...steps.map(([name]) => name).filter((name) => !name.startsWith('gone')), ...later].map(machine)
    await db().machine.createMany({ data: there })
    const idOf = (name: string) => there.find((m) => m.name === name)?.id ?? randomUUID()
    await db().machineProgress.createMany({
      data: steps.map(([name, step, more]) => ({
        ...{ changeId: id, machineId: idOf(name), machineName: name, state: step, startedAt: begun, ...more },
      })),
    })
    return getUpdate(ctx, id)
  }

  test('shows its own machines: none that were made later, and of those that went since, that they did', async () => {
    const shown = await over(
      'done',
      [
        ['kept', 'done'],
        ['gone-by-it', 'deleted'],
        ['gone-later', 'done'],
      ],
      ['later'],
    )
    expect(shown.machinesList.map(({ name, state }) => [name, state]).sort()).toEqual([
      ['gone-by-it', null],
      ['gone-later', null],
      ['kept', 'ready'],
    ])
    expect(shown.hull.total).toBe(3)
    expect(shown.timeline.at(-1)?.text).toBe('Done.')
  })

  test('that a newer one took the place of half way: the rest is not touched, whatever had been foretold', async () => {
    const unstarted = { startedAt: null }
    const shown = await over('superseded', [
      ['a', 'done', { predicted: 'in-place' }],
      ['b', 'waiting', { ...unstarted, predicted: 'in-place' }],
      ['c', 'waiting', unstarted],
      ['d', 'done', { ...unstarted, predicted: 'up-to-date' }],
    ])
    expect(shown.hull.counts).toEqual([
      { mark: 'in-place', done: true, count: 1 },
      { mark: 'untouched', count: 2 },
      { mark: 'up-to-date', count: 1 },
    ])
    expect(shown.timeline.at(-1)?.text).toBe('Over: its group was deleted.')
    await db().change.create({
      data: {
        ...{
          clusterId: shown.clusterId,
          groupId: shown.groupId,
          groupKind: 'MachineDeployment',
          namespace: 'payments',
        },
        ...{ groupName: 'workers', workloadCluster: 'prod', fingerprint: 'b', state: 'waiting', summary: 'v1 → v3' },
        ...{ heldBy: 'latch', resourceVersion: '2', machines: 3, changeSet: {}, outlook: {} },
      },
    })
    expect((await getUpdate(ctx, shown.id)).timeline.at(-1)?.text).toBe('Superseded by a newer change: v1 → v3.')
  })

  test('begins its timeline with what was wanted, by whom if that is known, or that it was found under way', async () => {
    const { id, timeline } = await over('done', [])
    expect(timeline[0]!.text).toBe('wanted: v1 → v2')
    await db().change.update({ where: { id }, data: { author: 'kubectl' } })
    expect((await getUpdate(ctx, id)).timeline[0]!.text).toBe('v1 → v2, written by kubectl')
    await db().change.update({ where: { id }, data: { heldBy: 'none', startedAt: begun } })
    expect((await getUpdate(ctx, id)).timeline[0]!.text).toBe('found under way: v1 → v2, written by kubectl')
  })
})
