import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { bootImageSummary } from '@/lib/db/queries/boot-images'
import { useTestDatabase } from '@/lib/db/testing'
import { riskScore } from '@/lib/domain/skew/risk'
import type { KubeObject } from '@/lib/kubernetes/types'
import { objects } from '@/lib/providers/openshift/testing/samples'
import { needsYou } from '@/lib/services/fleet/needs-you'
import type { ClusterView } from '../types'
import { skewConsumer } from '.'

useTestDatabase()
const clusterId = randomUUID()
const OPERATORS = 'clusteroperators.config.openshift.io'
const SKEW = { status: 'False', reason: 'ClusterBootImageSkewError' }
const QUOTES =
  'Upgrades have been disabled because the cluster is using RHCOS boot image version 9.6.20251023-0(RHEL version: 9.6), which is below the minimum required RHEL version 9.8. To enable'
const POOL = { status: 'False', reason: 'DegradedPool', message: 'One or more machine config pools are degraded' }
/** Manual, recorded as RHCOS 9.6. */
const sample = objects('manual-in-range')
let operator: KubeObject

const one = (key: string, object: KubeObject | undefined) => new Map(object ? [[key, object]] : [])
const view = {
  ...{ clusterId, name: 'atoll', fence: 0n, silent: () => new Map() },
  capabilities: { resources: {}, missingPermissions: [], openshift: { skew: true } },
  objects: (resource: string) => {
    if (resource === 'machineconfigurations.operator.openshift.io') return one('cluster', sample.machineConfiguration)
    if (resource === 'infrastructures.config.openshift.io') return one('cluster', sample.infrastructure)
    if (resource === 'clusterversions.config.openshift.io') return one('version', sample.clusterVersion)
    return resource === OPERATORS ? one('machine-config', operator) : new Map()
  },
} as unknown as ClusterView

const says = (upgradeable: object) => {
  operator = { ...sample.operator!, status: { conditions: [{ type: 'Upgradeable', ...upgradeable }] } as never }
}
const heard = async (upgradeable: object) => {
  says(upgradeable)
  await skewConsumer.onChanges(view, [{ resource: OPERATORS, key: 'machine-config', heardAt: Date.now() } as never])
  return db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
}

beforeAll(async () => {
  await db().managementCluster.create({
    data: { id: clusterId, name: 'atoll', server: 'https://x', state: 'connected' },
  })
})
afterEach(() => skewConsumer.forget!(view))

test('a floor that the operator quoted is not forgotten behind a degraded pool, nor by another worker', async () => {
  says({ ...SKEW, message: QUOTES })
  await skewConsumer.onSynced(view)
  const behind = { verdict: 'out-of-skew', floorRhel: '9.8', blocks: expect.stringContaining('are closed') as string }
  expect(await heard(POOL)).toMatchObject(behind)
  skewConsumer.forget!(view)
  await skewConsumer.onSynced(view)
  expect(await heard({ ...POOL, reason: 'InterruptedBuild' })).toMatchObject(behind)
})

test('where only the operator knows why, updates are closed all the same, and somebody is asked', async () => {
  await db().openShiftCluster.deleteMany({ where: { clusterId } })
  says({ ...SKEW, message: 'Upgrades have been disabled because boot images are too old.' })
  await skewConsumer.onSynced(view)
  const row = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  expect(row).toMatchObject({ verdict: 'unknown', blocks: expect.stringContaining('are closed') as string })
  expect(await bootImageSummary()).toMatchObject({ clusters: 1, closed: 1, unheard: 0 })
  const needs = await needsYou({ actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }, {})
  expect(needs.filter(({ id }) => id === clusterId).map(({ sentence }) => sentence)).toContain(row.sentence)
  const open = riskScore({ verdict: 'ok', blocks: null }, 'likely', true, null, true)
  expect(row.risk).toBeGreaterThan(open)
  // What is silent is said beside it, and opens nothing: the operator's word is heard.
  for (const unheardWhy of ['Its MachineSets cannot be read.', row.sentence]) {
    await db().openShiftCluster.update({ where: { clusterId }, data: { unheardWhy } })
    expect(await bootImageSummary()).toMatchObject({ closed: 1, unheard: 0 })
  }
})

test('that an operator compares nothing is unknown, and not that it is not heard', async () => {
  const sentence = 'The operator compares no record. Boot images keep nothing closed.'
  const open = { verdict: 'unknown', sentence, blocks: null, unheardWhy: null }
  await db().openShiftCluster.update({ where: { clusterId }, data: open })
  expect(await bootImageSummary()).toMatchObject({ clusters: 1, closed: 0, unheard: 0 })
})
