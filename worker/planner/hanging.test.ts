import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { objectKey, parseResource } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { bound } from '@/testenv/bound'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, as, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { plannerConsumer } from '.'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
const SETS = 'machinesets.cluster.x-k8s.io'

/** Approved to be replaced, and under way, with a bootstrap template of this name. */
async function underWay(next: string) {
  const held = await at.held()
  const { kind, name, namespace } = held
  const { groupId } = held.change
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await db().group.update({ where: { id: groupId }, data: { governed: true } })
  const { admin } = at.cluster
  await pauseCluster(admin, held)
  const template = await bootstrapOf(admin, held)
  await template.copy(next, 'echo one')
  const spec = { template: { spec: { bootstrap: { configRef: { name: next } } } } }
  await admin.patch(MD, name, namespace, 'merge', { spec } as never)
  const look = async () => {
    await planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind })
    return db().change.findFirstOrThrow({ where: { groupId }, orderBy: { detectedAt: 'desc' } })
  }
  const { id: changeId, fingerprint } = await look()
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
  expect((await look()).state).toBe('running')
  return { held, edit: () => template.edit(next, 'echo two') }
}

test('what is edited on its way is held, though a template of another group is not answered about; that one is planned once at a time', async () => {
  const [hangs, other] = [await underWay('hangs-next'), await underWay('other-next')]
  const { view } = await planningContext(at.clusterId)
  const { client } = view
  const groups = new Map<string, KubeObject>()
  for (const { held } of [hangs, other]) groups.set(`${held.namespace}/${held.name}`, await held.read())
  const { items } = await client.list(parseResource(SETS, 'v1beta2'), undefined, {})
  const sets = new Map(items.map((set) => [objectKey(set), set]))
  view.objects = (of) => (of.startsWith('machinedeployments') ? groups : of === SETS ? sets : new Map())
  let end: () => void = () => undefined
  const refused = new KubeError(500, { kind: 'Status', code: 500, message: 'conversion webhook timed out' }, 'GET')
  const ended = new Promise<never>((_, reject) => (end = () => reject(refused)))
  let asked = 0
  const get: typeof client.get = (resource, name, ...more) => {
    if (name !== 'hangs-next') return client.get(resource, name, ...more)
    asked++
    return ended
  }
  view.client = { ...bound(client), get }
  const planned = plannerConsumer.onSynced(view)
  try {
    await until('one to hang', () => Promise.resolve(asked > 0))
    await planned
    const object = { ...(await hangs.held.read()), kind: hangs.held.kind }
    const change = { type: 'upsert' as const, resource: 'machinedeployments.cluster.x-k8s.io', heardAt: Date.now() }
    await plannerConsumer.onChanges(view, [{ ...change, key: objectKey(object), object }])
    await other.edit()
    await until('the other one to be held', async () => HELD in (await annotations(other.held)), { ms: 40_000 })
    expect(asked).toBe(1)
    end()
    // What was heard of it meanwhile.
    await until('it to be planned again', () => Promise.resolve(asked > 1))
  } finally {
    plannerConsumer.forget?.(view)
    end()
  }
})
