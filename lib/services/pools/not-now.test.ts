import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { CLOSED, cy } from '@/testenv/timed'
import { savePolicy } from '../policies/save-policy'
import { notNow } from './not-now'

useTestDatabase()

const POOL = 'MachineConfigPool'
const live = {
  apiVersion: 'v1',
  kind: POOL,
  metadata: { name: 'worker', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
}
const WAVES = { waves: [{ name: 'first' }] }

/** Let go, and paused by somebody since; no worker has placed it in any wave. */
async function letGo(state: string, rules: Omit<PolicySpec, 'select'>): Promise<string | undefined> {
  await db().rolloutPolicy.deleteMany({})
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: '' } })
  const groupId = randomUUID()
  await db().change.create({
    data: {
      ...{ clusterId, groupId, groupKind: POOL, namespace: '', groupName: 'worker', workloadCluster: 'keel', state },
      ...{ fingerprint: 'f', digest: 'd', summary: '3 files', resourceVersion: '1', machines: 3, heldBy: 'none' },
      ...{ changeSet: { pairs: [], fields: [] }, outlook: { only: 'in-place', uncovered: [] } },
    },
  })
  await savePolicy(cy, { name: 'nights', spec: { select: { kinds: [POOL] }, ...rules } })
  return (await notNow(clusterId, groupId, live))?.message
}

test.each<[string, string, Omit<PolicySpec, 'select'>, boolean]>([
  ['outside its window it does not go on', 'running', CLOSED, false],
  ['nor where its policy has waves besides, and its own is not known yet', 'running', { ...CLOSED, ...WAVES }, false],
  ['what has begun goes on in whatever wave it comes to be', 'running', WAVES, true],
  ['what has not begun waits until its wave is known', 'approved', WAVES, false],
  ['with neither it goes on', 'approved', {}, true],
])('%s', async (_, state, rules, goes) => {
  const message = await letGo(state, rules)
  if (goes) expect(message).toBeUndefined()
  else expect(message).toMatch(/^What worker was let go with does not go on now \(3 files\): /)
})
