import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { shapeSaid } from '@/lib/services/policies/shape'
import { HOST } from '@/sandbox/controllers/names'
import { as } from './deciding'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import type { Workload } from './suites/governing'

useTestDatabase()
const at = gatedSandbox()
const HOSTS = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta2', plural: 'devmachines' }

/** Its manager makes one machine first, and waits with that until this one is well. */
async function fallsIll(w: Workload): Promise<void> {
  const machine = (await at.g.machines(w)).find(({ metadata }) => metadata.name.startsWith(w.controlPlane))!
  const { name } = (machine.spec as { infrastructureRef: { name: string } }).infrastructureRef
  const metadata = { annotations: { [HOST.etcdIll]: 'raft: no leader' } }
  await at.cluster.admin.patch(HOSTS, name, w.namespace, 'merge', { metadata })
  const isIll = ({ metadata: { uid }, status }: typeof machine) =>
    uid === machine.metadata.uid &&
    (status as { conditions: { type: string; status: string }[] }).conditions.some(
      (c) => c.type === 'EtcdMemberHealthy' && c.status === 'False',
    )
  await until('its member to be ill', async () => (await at.g.machines(w)).some(isIll), { ms: 20_000 })
}

test.each([
  { wants: 1, is: 0, ill: false, why: 'a machine would be made' },
  { wants: 0, is: 1, ill: true, why: 'the one that is ill would be deleted' },
] as const)('maxSurge $wants of a policy is not written to a control plane that only the gate holds: $why', async (one) => {
  const { g } = at
  const w = await g.workload(`shape${one.is}`, { controlPlane: { replicas: 3, maxSurge: one.is } }, {})
  await g.known(w)
  if (one.ill) await fallsIll(w)
  await g.changeControlPlane(w, 'v1.34.1')
  const { id, heldBy } = await g.change(w, w.controlPlane, ['waiting'])
  expect(heldBy).toBe('gate')
  await g.nothingMoves(w, 3_000)
  const shape = async () => shapeSaid((await db().change.findUniqueOrThrow({ where: { id } })).shape)
  const names = async () => (await g.machines(w)).map(({ metadata }) => metadata.name).sort()
  const before = await names()
  await savePolicy(as('admin'), { name: w.name, spec: { select: { names: [w.controlPlane] }, maxSurge: one.wants } })
  await until('its policy to be looked at', async () => (await shape()) !== null, { ms: 10_000 })
  await g.nothingMoves(w, 4_000)
  expect(await names()).toEqual(before)
  expect(await shape()).toMatchObject({ wrote: null, stuck: true })
}, 120_000) // prettier-ignore
