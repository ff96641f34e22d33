import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Updater } from '@/lib/db/generated/client'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { systemCtx } from '../context'
import { inOrder } from './for-cluster'
import { inPolicyOrder } from './policy-order'

useTestDatabase()
afterEach(async () => void (await db().rolloutPolicy.deleteMany({})))

const named = (...names: string[]) => names.map((name) => ({ name }) as Updater)
const group = {
  ...{ clusterId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: 'g', workloadCluster: 'w' },
}
const says = (updaterOrder: string[], select = {}) =>
  savePolicy(systemCtx('test'), { name: `p-${randomUUID()}`, spec: { select, updaterOrder } })
const order = async () => (await inPolicyOrder(db(), named('a', 'b', 'c', 'd'), group)).map(({ name }) => name).join('')

test('those that a policy of the group names come first, in its order; the others after them, as they are', async () => {
  expect(await order()).toBe('abcd')
  await says(['d', 'gone', 'b'])
  expect(await order()).toBe('dbac')
  await says(['c'], { names: ['g'] })
  expect(await order()).toBe('cabd')
  await says(['a'], { names: ['other'] })
  expect(await order()).toBe('cabd')
})

test('where policies cannot be known, nobody is asked in an order that may not be theirs', async () => {
  await says(['d'], { labels: { env: 'prod' } })
  await expect(order()).rejects.toThrow('labels of workload cluster w are not known')
  const { unknown } = await inOrder(named('a'), null, group)
  expect(unknown).toMatch(/labels of workload cluster w are not known/)
})
