import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { SETTLE_MS } from '@/lib/domain/skew/settle'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { as } from '@/testenv/deciding'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { isDue } from './is-due'
import { managedKind } from './kinds/managed'
import { CLUSTER_CONFIGURATION } from './kinds/skew'

useTestDatabase()
const MC = 'machineconfigurations.operator.openshift.io'
const ALL = {
  machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }],
}
const OPERATOR = { user: 'mco', groups: ['system:masters'], fieldManager: 'machine-config-operator' }

let server: RunningApiServer
let clusterId: string
let id: string

beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  await server.store.merge(
    MC,
    'cluster',
    { spec: { bootImageSkewEnforcement: { mode: 'None', manual: null }, managedBootImages: ALL } },
    OPERATOR,
  )
})
afterAll(async () => {
  await closeClients()
  await server?.stop()
})

/** Which machine sets are managed, of which the first write is stored, and the second waits for the operator. */
beforeEach(async () => {
  id = randomUUID()
  const step = { label: 'x', body: { spec: { managedBootImages: null } }, state: 'open', at: null }
  await db().openShiftAction.deleteMany()
  await db().openShiftAction.create({
    data: {
      ...{ id, clusterId, kind: managedKind.kind, target: CLUSTER_CONFIGURATION, action: 'manage' },
      ...{ actorId: 'u', actorName: 'Ada', state: 'waiting', step: 1, waitsSince: new Date() },
      steps: [
        { ...step, state: 'stored' },
        { ...step, waitsFor: 'the operator has left Automatic' },
      ],
    },
  })
})

/** As the operator says it; one that is slow puts back for a moment what it had read before. */
async function says(mode: 'None' | 'Automatic', behind = 0): Promise<void> {
  const { generation = 1 } = server.store.get(MC, 'cluster')!.metadata
  const record = mode === 'Automatic' ? { automatic: { ocpVersion: '4.22.4' } } : { automatic: null }
  const status = {
    observedGeneration: generation - behind,
    bootImageSkewEnforcementStatus: { mode, manual: null, ...record },
  }
  await server.store.merge(MC, 'cluster', { status }, OPERATOR, 'status')
}
const after = (ms: number) => isDue(id, Date.UTC(2030, 0, 1) + ms)

test('one good look is not enough: what is waited for has to be there in every look for as long as it may flicker', async () => {
  await says('None')
  expect(await after(0)).toBe(false)
  expect(await after(SETTLE_MS - 1)).toBe(false)
  const { claimedUntil } = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
  expect(claimedUntil).toEqual(new Date(Date.UTC(2030, 0, 1) + SETTLE_MS))
  expect(await after(SETTLE_MS)).toBe(true)
})

test.each<[string, Parameters<typeof says>]>([
  ['the mode is put back', ['Automatic']],
  ['the generation is put back', ['None', 1]],
])('%s in between: it is counted anew', async (_, back) => {
  await says('None')
  expect(await after(0)).toBe(false)
  await says(...back)
  expect(await after(SETTLE_MS)).toBe(false)
  await says('None')
  expect(await after(SETTLE_MS + 1)).toBe(false)
  expect(await after(2 * SETTLE_MS)).toBe(false)
  expect(await after(2 * SETTLE_MS + 1)).toBe(true)
})

test('while the cluster does not answer, nothing is known of it', async () => {
  await says('None')
  expect(await after(0)).toBe(false)
  server.faults.fail(503)
  expect(await after(SETTLE_MS)).toBe(false)
  server.faults.fail(0)
  expect(await after(SETTLE_MS + 1)).toBe(false)
  expect(await after(2 * SETTLE_MS + 1)).toBe(true)
})
