import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx, Role } from '../context'
import { recordPool } from '../pools/record-pool'
import { ADMIN_ACKS } from '@/lib/providers/openshift/gates'
import { withdrawGate } from '../upgradeable/withdraw-gate'
import { acknowledgeSkew } from './acknowledge'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: role, name: `${role}@example.com`, role } })
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const MC = 'machineconfigurations.operator.openshift.io'
let server: RunningApiServer
let clusterId = ''

beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources() },
    objects: openShiftFleet({ machines: 6 }),
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  const { kubeconfig } = server.users.drydock!
  ;({ clusterId } = await addCluster(as('admin'), { name: 'tidal', kubeconfig }))
}, 60_000)
afterAll(async () => {
  await closeClients()
  await server?.stop()
})

const manual = (ocpVersion: string) => ({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } })

async function acknowledged(version: string): Promise<unknown> {
  const { uid, resourceVersion, generation } = server.store.get(MC, 'cluster')!.metadata
  const done = await acknowledgeSkew(as('operator'), {
    ...{ clusterId, versionKind: 'OCPVersion', version, uid, resourceVersion, generation },
  })
  expect(done.state).toBe('accepted')
  await db().openShiftAction.update({ where: { id: done.id }, data: { state: 'seen' } })
  await db().openShiftCluster.update({ where: { clusterId }, data: { specSkew: manual(version) } })
  return (await db().auditEvent.findFirstOrThrow({ where: { targetId: done.id, action: 'skew.acknowledged' } })).details
}

test('what an acknowledgement writes over is on record, with who wrote it; what is from here is not somebody else’s', async () => {
  const card = {
    ...{ version: '4.22.4', platform: 'AWS', skewSupported: true, availability: 'enforced', verdict: 'ok' },
    ...{ specSkew: manual('4.16.0'), sentence: '', evidence: {}, managed: {}, conditions: [] },
  }
  await db().openShiftCluster.create({ data: { clusterId, ...card } })
  await server.store.merge(MC, 'cluster', { spec: { bootImageSkewEnforcement: manual('4.16.0') } }, SOMEBODY)
  expect(await acknowledged('4.17.0')).toMatchObject({ overwrote: { stood: 'Manual, 4.16.0', by: 'kubectl-edit' } })
  expect(await acknowledged('4.18.0')).not.toHaveProperty('overwrote')
})

const looked = (resource: string, key: string) => {
  const { uid, resourceVersion, generation } = server.store.get(resource, key)!.metadata
  return { uid, resourceVersion, generation }
}
const told = async (action: string) => (await db().auditEvent.findFirstOrThrow({ where: { action } })).details

test('so it is with somebody’s pause of a pool, and the acknowledgement of a gate', async () => {
  const pools = 'machineconfigpools.machineconfiguration.openshift.io'
  await server.store.merge(pools, 'worker', { spec: { paused: true } }, SOMEBODY)
  await recordPool(as('admin'), { clusterId, name: 'worker', action: 'resume', ...looked(pools, 'worker') })
  const stood = expect.stringMatching(/^paused, and wants/) as string
  expect(await told('pool.resumed')).toMatchObject({ overwrote: { stood, by: 'kubectl-edit' } })
  const gate = 'ack-4.22-x-in-4.23'
  const acks = `${ADMIN_ACKS.namespace}/${ADMIN_ACKS.name}`
  await server.store.merge('configmaps', acks, { data: { [gate]: 'true' } }, SOMEBODY)
  const { generation: _, ...seen } = looked('configmaps', acks)
  await withdrawGate(as('admin'), { clusterId, gate, ...seen })
  const overwrote = { stood: expect.stringContaining(gate) as string, by: 'kubectl-edit' }
  expect(await told('admin-gate.withdrawn')).toMatchObject({ overwrote })
})
