import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { poolHulls, poolKey } from '@/lib/db/queries/pools'
import { useTestDatabase } from '@/lib/db/testing'
import { poolMark } from '@/lib/domain/pools/hull'
import type { Ctx } from '../context'
import { needsYou } from '../fleet/needs-you'
import { getPoolNode } from './get-node'
import { getPool } from './get-pool'
import { listPools, type PoolsPage } from './list-pools'

useTestDatabase()
const ctx: Ctx = { actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }
const STATES = ['updated', 'updating', 'behind', 'degraded'] as const
const SEVERITY = { updated: 0, updating: 30, behind: 60, degraded: 90 }
let big: string

beforeAll(async () => {
  const clusters = await Promise.all(
    ['atlas', 'borealis'].map((name) => db().managementCluster.create({ data: { name, server: '' } })),
  )
  for (const [c, cluster] of clusters.entries())
    await db().configPool.createMany({
      data: Array.from({ length: 60 }, (_, i) => {
        const state = STATES[i % 4]!
        return {
          ...{ id: randomUUID(), clusterId: cluster.id, name: `pool-${i}`, state, severity: SEVERITY[state] },
          ...{
            sentence: `${state} 100%_sure ${i}`,
            paused: state === 'behind',
            resourceVersion: '1',
            machines: c === 0 && i === 3 ? 450 : 2,
          },
        }
      }),
    })
  const pool = await db().configPool.findFirstOrThrow({ where: { name: 'pool-3', clusterId: clusters[0]!.id } })
  big = pool.id
  await db().configNode.createMany({
    data: Array.from({ length: 450 }, (_, i) => {
      const phase = i === 7 ? 'degraded' : i % 50 === 1 ? 'draining' : 'updated'
      return {
        ...{
          id: randomUUID(),
          clusterId: pool.clusterId,
          pool: pool.name,
          name: `node-${String(i).padStart(3, '0')}`,
          phase,
        },
        severity: phase === 'degraded' ? 90 : phase === 'draining' ? 40 : 0,
        stuckFrom: i === 51 ? new Date(Date.now() - 1000) : i === 101 ? new Date(Date.now() + 3_600_000) : null,
        sentence: phase,
      }
    }),
  })
})

describe('the list of pools', () => {
  test('walks through all of them, the worst first, each once', async () => {
    const seen: PoolsPage['pools'] = []
    let after: string | undefined
    do {
      const page = await listPools(ctx, { after })
      expect(page.total).toBe(120)
      seen.push(...page.pools)
      after = page.after ?? undefined
    } while (after)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(120)
    const ranks = seen.map(({ state }) => SEVERITY[state as keyof typeof SEVERITY])
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a))
  })

  test('of pools that are paused and behind, begins with the one that is so for longest', async () => {
    const some = await db().configPool.findMany({ where: { state: 'behind' }, orderBy: { name: 'desc' }, take: 3 })
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
    await db().configPool.updateMany({ where: { state: 'behind' }, data: { pausedSince: ago(0) } })
    for (const [i, { id }] of some.entries())
      await db().configPool.update({ where: { id }, data: { pausedSince: [ago(3), ago(96), null][i]! } })
    const { pools } = await listPools(ctx, { state: 'behind' })
    expect(pools.slice(0, 3).map(({ id }) => id)).toEqual([some[2]!.id, some[1]!.id, some[0]!.id])
    await db().configPool.updateMany({ where: { state: 'behind' }, data: { pausedSince: null } })
  })

  test('puts one with a node that is stuck before those that merely wait, and after what is degraded', async () => {
    const { id, clusterId, name } = await db().configPool.findFirstOrThrow({
      where: { state: 'updating', cluster: { name: 'borealis' } },
    })
    const node = { id: randomUUID(), clusterId, pool: name, name: 'hangs', phase: 'draining', sentence: 'It drains.' }
    const stuckFrom = new Date(Date.now() - 1000)
    const ill = { ...node, id: randomUUID(), name: 'is ill', phase: 'degraded', sentence: 'It failed.', stuckFrom }
    await db().configNode.createMany({ data: [{ ...node, stuckFrom }, ill] })
    const all = await listPools(ctx, { cluster: 'borealis', q: 'pool' })
    // Marked as a machine is that hangs; what is degraded as one that failed.
    const { hull } = all.pools.find((pool) => pool.id === id)!
    const stuck = { mark: 'failed', moving: true }
    expect(hull.cells!.filter(({ note }) => note!.startsWith('Stuck. '))).toMatchObject([stuck])
    expect(hull.cells!.find((cell) => cell.name === ill.name)).toMatchObject({ mark: 'failed', note: ill.sentence })
    expect(hull.counts.slice(0, 2)).toMatchObject([
      { ...stuck, count: 1 },
      { mark: 'failed', count: 1 },
    ])
    const counted = await poolHulls([{ clusterId, name }], 0)
    expect(counted.get(poolKey({ clusterId, name }))).toMatchObject({
      stuck: 1,
      counts: [{ ...stuck, count: 1 }, { mark: 'failed' }],
    })
    const only = await getPool(ctx, { id, phase: 'stuck' })
    expect([only.nodesTotal, only.nodes.map((one) => one.name)]).toEqual([1, ['hangs']])
    expect(poolMark('degraded', false, 'now', true)).toEqual({ mark: 'failed' })
    const states = all.pools.map((pool) => (pool.id === id ? 'stuck' : pool.state))
    expect(states.indexOf('stuck')).toBe(states.lastIndexOf('degraded') + 1)
    expect(states.indexOf('behind')).toBe(states.indexOf('stuck') + 1)
    const needs = (await needsYou(ctx, { cluster: 'borealis' })).filter(({ kind }) => kind === 'pool')
    await db().configNode.deleteMany({ where: { id: { in: [node.id, ill.id] } } })
    expect(needs.findIndex((need) => need.id === id)).toBe(15)
  })

  test('puts one whose pause keeps nodes from a certificate in time before those that merely wait, and says when that ends', async () => {
    const { id, certExpiry } = await db().configPool.findFirstOrThrow({ where: { state: 'updated' } })
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
    const placeOf = async (data: { paused: boolean; certExpiry: Date | null }) => {
      await db().configPool.update({ where: { id }, data })
      const { pools } = await listPools(ctx, { state: 'updated' })
      return { at: pools.findIndex((pool) => pool.id === id), certEnds: pools.find((pool) => pool.id === id)?.certEnds }
    }
    const ends = inDays(9)
    expect(await placeOf({ paused: true, certExpiry: ends })).toEqual({ at: 0, certEnds: ends.toISOString() })
    for (const data of [
      { paused: false, certExpiry: ends },
      { paused: true, certExpiry: inDays(15) },
    ])
      expect((await placeOf(data)).certEnds ?? null).toBeNull()
    await placeOf({ paused: false, certExpiry })
  })

  test('narrows by cluster, state and words, and counts every state', async () => {
    const page = await listPools(ctx, { cluster: 'atlas', state: 'behind' })
    expect(page).toMatchObject({ total: 15, counts: { updated: 15, updating: 15, behind: 15, degraded: 15 } })
    expect(page.pools.every(({ cluster, paused }) => cluster === 'atlas' && paused)).toBe(true)
    expect((await listPools(ctx, { q: '100%_sure 59' })).total).toBe(2)
    expect((await listPools(ctx, { q: '%' })).total).toBe(120)
    expect((await listPools(ctx, { q: '100%xsure' })).total).toBe(0)
    expect((await listPools(ctx, { cluster: 'nowhere' })).pools).toEqual([])
  })

  test('refuses what it does not know with a sentence', async () => {
    await expect(listPools(ctx, { state: 'odd' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('states of a pool') as string,
    })
    await expect(listPools(ctx, { after: 'x' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('begin at the top') as string,
    })
  })
})

describe('one pool', () => {
  test('draws bins where there are too many nodes, and never averages a failed one away', async () => {
    const pool = await getPool(ctx, { id: big })
    expect(pool.hull).toMatchObject({ total: 450, cells: null })
    expect(pool.hull.counts[0]).toMatchObject({ mark: 'failed', count: 1 })
    expect(pool.stuck).toBe(1)
    expect(pool.phases).toEqual({ degraded: 1, draining: 9, updated: 440 })
    const small = await db().configPool.findFirstOrThrow({ where: { name: 'pool-1' } })
    expect((await getPool(ctx, { id: small.id })).hull).toMatchObject({ total: 0, cells: [] })
  })

  test('shows no node as up to date that has what came before the release that is wanted', async () => {
    const { wantedRelease, desiredRelease } = await db().configPool.findUniqueOrThrow({ where: { id: big } })
    const put = (data: object) => db().configPool.update({ where: { id: big }, data })
    await put({ wantedRelease: '4.22.6', desiredRelease: '4.22.5' })
    const { hull, standing, nodes } = await getPool(ctx, { id: big, phase: 'updated' })
    expect([standing, nodes[0]]).toMatchObject(['before', { phase: 'updated', standing: 'before' }])
    const marks = hull.counts.map(({ mark }) => mark)
    expect(marks).toContain('in-place')
    expect(marks).not.toContain('up-to-date')
    await put({ wantedRelease, desiredRelease })
  })

  test('shows those that need somebody first, page by page, each once', async () => {
    const names: string[] = []
    let after: string | undefined
    do {
      const page = await getPool(ctx, { id: big, after })
      names.push(...page.nodes.map(({ name }) => name))
      after = page.after ?? undefined
    } while (after)
    expect(names.slice(0, 3)).toEqual(['node-051', 'node-007', 'node-001'])
    expect(new Set(names).size).toBe(450)
    expect((await getPool(ctx, { id: big, phase: 'draining' })).nodesTotal).toBe(9)
    expect((await getPool(ctx, { id: big, q: 'node-04' })).nodes).toHaveLength(10)
  })

  test('tells one node, and says where there is none', async () => {
    expect(await getPoolNode(ctx, { id: big, node: 'node-051' })).toMatchObject({
      stuck: true,
      machine: null,
      cluster: 'atlas',
    })
    expect(await getPoolNode(ctx, { id: big, node: 'node-101' })).toMatchObject({ stuck: false })
    await expect(getPoolNode(ctx, { id: big, node: 'x' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(getPool(ctx, { id: randomUUID() })).rejects.toMatchObject({ code: 'not-found' })
    await expect(getPool(ctx, { id: 'x' })).rejects.toMatchObject({ code: 'invalid' })
  })
})

test('pools that do not go on by themselves are among what needs somebody', async () => {
  await db().configPool.updateMany({ where: { state: 'degraded' }, data: { state: 'updated', severity: 0 } })
  await db().configPool.updateMany({
    where: { state: 'behind' },
    data: { pausedSince: new Date(Date.now() - 86_400_000) },
  })
  const mine = async () => (await needsYou(ctx, {})).filter(({ kind }) => kind === 'pool')
  expect(await mine()).toMatchObject([
    {
      id: big,
      where: 'atlas / pool-3',
      sentence: 'One node is stuck. node-051: draining',
      action: { href: `/pools/${big}` },
    },
  ])
  const [late, early] = await db().configPool.findMany({ where: { state: 'behind' }, orderBy: { name: 'asc' } })
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
  await db().configPool.update({ where: { id: late!.id }, data: { certExpiry: inDays(60) } })
  await db().configPool.update({ where: { id: early!.id }, data: { certExpiry: inDays(300) } })
  const found = await mine()
  expect(found.map(({ id }) => id).sort()).toEqual([big, late!.id].sort())
  expect(found.find(({ id }) => id === late!.id)?.detail).toContain('is rotated before')
  // Of which no certificate is known: paused for long, or nobody knows since when.
  const [one, two] = await db().configPool.findMany({ where: { state: 'behind', certExpiry: null }, take: 2 })
  await db().configPool.update({ where: { id: one!.id }, data: { pausedSince: inDays(-31) } })
  await db().configPool.update({ where: { id: two!.id }, data: { pausedSince: null } })
  const unknown = (await mine()).filter(({ id }) => [one!.id, two!.id].includes(id))
  expect(unknown).toHaveLength(2)
  expect(unknown[0]!.detail).toContain('is not known')
})
