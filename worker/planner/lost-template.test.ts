import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import { approveChange } from '@/lib/services/changes/approve-change'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

const rollout = (held: Held, rollout: object) =>
  at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { rollout } } as never)

/** As GitOps prunes: the group names a copy, and the template that the old machines came from is gone. */
async function pruned(held: Held, gates?: Parameters<typeof planningContext>[1]) {
  const { admin } = at.cluster
  const ref = valueAt((await held.read()) as never, 'spec', 'template', 'spec', 'infrastructureRef') as {
    apiGroup: string
    kind: string
    name: string
  }
  const resource = { group: ref.apiGroup, version: 'v1beta2', plural: `${ref.kind.toLowerCase()}s` }
  const { apiVersion, kind, spec } = await admin.get(resource, ref.name, held.namespace)
  const name = `${ref.name}-2`
  await admin.create(resource, { apiVersion, kind, metadata: { name }, spec } as never, held.namespace)
  const template = { spec: { infrastructureRef: { ...ref, name } } }
  await admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template } })
  await admin.delete(resource, ref.name, held.namespace)
  await planGroup(await planningContext(at.clusterId, gates), { ...(await held.read()), kind: held.kind })
  const change = await db().change.findFirstOrThrow({
    where: { groupId: held.change.groupId },
    orderBy: { detectedAt: 'desc' },
  })
  expect(changeSetOf(change).pairs[0]?.lost).toBe(ref.name)
  return approveChange(as('approver'), { changeId: change.id, fingerprint: change.fingerprint, mode: 'replace' })
}

test('where Cluster API compares before it moves anything, nothing is approved that would not move', async () => {
  expect((await failure(pruned(await at.held()))).message).toContain('does not exist')
})

test('where it does not compare, replacing is approved: OnDelete, a passed rollout.after, gates that are not known to be on', async () => {
  const onDelete = await at.held()
  await rollout(onDelete, { strategy: { type: 'OnDelete' } })
  expect(await pruned(onDelete)).toMatchObject({ state: 'accepted' })

  const passed = await at.held()
  await rollout(passed, { after: new Date(Date.now() - 1_000).toISOString() })
  expect(await pruned(passed)).toMatchObject({ state: 'accepted' })

  const unknown = { state: 'unknown' as const, how: 'The Deployment capi-controller-manager cannot be read.' }
  expect(await pruned(await at.held(), { inPlaceUpdates: unknown, runtimeSdk: unknown })).toMatchObject({
    state: 'accepted',
  })
})
