import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ada } from '@/testenv/timed'
import { diffConfig } from './diff-config'
import { getPool } from './get-pool'
import { listPools } from './list-pools'

const compared = vi.hoisted(() => vi.fn())
vi.mock('@/lib/providers/openshift/compare-configs', () => ({
  compareConfigs: (_read: unknown, from: string, to: string) => {
    compared(from, to)
    return Promise.resolve({ versions: 'v', content: 'c', release: null, before: null })
  },
}))
vi.mock('../clusters/connection', () => ({ kubeClientFor: () => Promise.resolve({ get: () => Promise.resolve({}) }) }))
useTestDatabase()

async function poolOf(name: string, currentConfig: string, nodes: string[]) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name, server: 'https://x' } })
  const id = randomUUID()
  const releases = { currentRelease: '4.22.4', desiredRelease: '4.22.4' }
  await db().configPool.create({
    data: {
      ...{ id, clusterId, name: 'worker', resourceVersion: '1', currentConfig, desiredConfig: 'a' },
      ...releases,
    },
  })
  await db().configNode.createMany({
    data: nodes.map((config, at) => ({
      ...{ id: randomUUID(), clusterId, pool: 'worker', name: `n${at}`, phase: 'pending' },
      ...{ currentConfig: config, desiredConfig: 'a', release: config === 'b' ? '4.21.9' : '4.22.4' },
    })),
  })
  return id
}
const shown = async (id: string, cluster: string) => {
  const { currentConfig, currentRelease, elsewhere } = await getPool(ada, { id })
  const { pools } = await listPools(ada, { cluster })
  return { currentConfig, currentRelease, elsewhere, listed: [pools[0]!.currentConfig, pools[0]!.currentRelease] }
}

test('of nodes that lack what all had once, what differs is found from the config that most of them have', async () => {
  const id = await poolOf('anvil', 'a', ['b', 'c', 'b', 'a'])
  expect(await shown(id, 'anvil')).toEqual({
    ...{ currentConfig: 'b', currentRelease: '4.21.9', listed: ['b', '4.21.9'] },
    elsewhere: [{ config: 'c', nodes: 1 }],
  })
  expect((await diffConfig(ada, { id })).from.name).toBe('b')
  expect(compared).toHaveBeenLastCalledWith('b', 'a')
})

test('where all have it, and where its operator says what they had, that stands', async () => {
  const same = await poolOf('mast', 'a', ['a', 'a'])
  expect(await shown(same, 'mast')).toMatchObject({ currentConfig: 'a', listed: ['a', '4.22.4'] })
  const other = await poolOf('keel', 'c', ['b', 'b', 'c'])
  expect(await shown(other, 'keel')).toMatchObject({ currentConfig: 'c', elsewhere: [{ config: 'b', nodes: 2 }] })
})
