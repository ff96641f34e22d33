import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { before } from '@/testenv/before'
import { expectHeld, expectReleased, inputFor } from '@/testenv/deciding'
import { newestOf } from '@/testenv/reconnected'
import { ada, timedCluster } from '@/testenv/timed'

useTestDatabase()
const { at, look } = timedCluster()
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

/** A new version, with the bootstrap template of before; `joins`: that says where machines join. */
async function waiting() {
  const first = await at.held()
  const { admin } = at.cluster
  await db().group.update({ where: { id: first.change.groupId }, data: { governed: true } })
  await pauseCluster(admin, first)
  const { name } = await bootstrapOf(admin, first)
  const joins = async (apiServerEndpoint: string) => {
    const joinConfiguration = { discovery: { bootstrapToken: { apiServerEndpoint } } }
    const spec = { template: { spec: { joinConfiguration } } }
    await admin.patch(TEMPLATES, name, first.namespace, 'merge', { spec } as never)
  }
  await joins('ours:6443')
  await look(first)
  return { held: await newestOf(first), joins }
}

test('where its machines join was edited in their template since it was approved: nothing is let go', async () => {
  const { held, joins } = await waiting()
  await before(at.clusterId, 'get', () => joins('bad:6443'))
  const made = await approveChange(ada, inputFor(held))
  expect(made).toMatchObject({ state: 'voided', calls: [] })
  expect(made.error).toContain('was edited since it was last looked at here')
  await expectHeld(held)
})

test('where its machines join is edited on the way: what has not begun is held', async () => {
  const { held, joins } = await waiting()
  await expectReleased(held, (await approveChange(ada, inputFor(held))).id)
  await look(held)
  await look(held)
  await expectReleased(held, (await db().decision.findFirstOrThrow({ where: { changeId: held.change.id } })).id)
  await joins('bad:6443')
  for (let i = 0; i < 2; i++) await look(held)
  await expectHeld(held)
})
