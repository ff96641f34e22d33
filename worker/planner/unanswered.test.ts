import { afterEach, expect, test, vi } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { objectKey, parseResource } from '@/lib/kubernetes/paths'
import { KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { log } from '../log'
import { plannerConsumer } from '.'

useTestDatabase()
const at = latchedCluster()
const SETS = 'machinesets.cluster.x-k8s.io'
afterEach(() => vi.restoreAllMocks())

/** Names of the groups that are told to have been tried, in a look at all of these, of a cluster that does not answer (`lost`: so many times). */
async function told(held: Held[], lost = Infinity): Promise<string[]> {
  const warned = vi.spyOn(log, 'warn').mockImplementation(() => undefined)
  const groups = new Map<string, KubeObject>()
  const sets = new Map<string, KubeObject>()
  for (const one of held) {
    const group = await one.read()
    groups.set(objectKey(group), group)
    const { items } = await at.cluster.admin.list(parseResource(SETS, 'v1beta2'), one.namespace)
    for (const set of items) sets.set(objectKey(set), set)
  }
  const { view } = await planningContext(at.clusterId)
  let calls = 0
  const client = new Proxy({} as KubeClient, {
    get: (_target, key: keyof KubeClient) =>
      calls++ < lost ? () => Promise.reject(new KubeUnreachable('Nothing listens.', 'GET /')) : view.client[key],
  })
  const objects = (of: string) => (of.startsWith('machinedeployments') ? groups : of === SETS ? sets : new Map())
  const unanswering = { ...view, client, objects }
  await plannerConsumer.onSynced(unanswering as never)
  plannerConsumer.forget?.(unanswering as never)
  const names = warned.mock.calls.map(([details]) => (details as unknown as { group: string }).group)
  warned.mockClear()
  return names
}

test('of a cluster that does not answer a few groups are tried, not thousands; one lost answer keeps no other waiting', async () => {
  const held = [await at.held(), await at.held(), await at.held(), await at.held(), await at.held()]
  expect(await told(held)).toHaveLength(3)
  expect(await told(held, 1)).toHaveLength(1)
})
