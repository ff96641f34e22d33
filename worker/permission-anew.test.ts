import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { cannotWrite } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients, kubeClientFor } from '@/lib/services/clusters/connection'
import { CLUSTER_CONFIGURATION, skewKind } from '@/lib/services/openshift/kinds/skew'
import { rulesFromManifests, startApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { as } from '@/testenv/deciding'
import { startWorker } from './worker'

useTestDatabase()

test('what the API server refuses, and lets through again, is soon so in what Drydock is shown to be allowed', async () => {
  const written = rulesFromManifests(openShiftWriteRbac())
  const rules = [...rulesFromManifests(rbacManifest(['openshift'])), ...written]
  const server = await startApiServer({
    ...{
      families: ['openshift'],
      resources: openShiftResources(),
      objects: openShiftFleet(),
      users: { drydock: rules },
    },
  })
  const { clusterId } = await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })
  const worker = await startWorker({ consumers: [], parts: [] })
  const { resource, name } = skewKind.target(CLUSTER_CONFIGURATION)
  const of = { group: resource.group, resource: resource.plural }
  const shown = async () => {
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
    return cannotWrite(discovery as Partial<Capabilities> | null, of) !== null
  }
  const soon = (is: boolean) => expect.poll(shown, { timeout: 15_000, interval: 100 }).toBe(is)
  const write = async () => {
    const client = await kubeClientFor(clusterId)
    return client.patch(resource, name, undefined, 'merge', { spec: {} }, { dryRun: true })
  }
  try {
    await expect.poll(async () => (await db().clusterLease.count()) > 0).toBe(true)
    await write()
    expect(await shown()).toBe(false)
    rules.splice(-written.length)
    await expect(write()).rejects.toMatchObject({ code: 403 })
    await soon(true)
    rules.push(...written)
    await write()
    await soon(false)
  } finally {
    await worker.stop()
    await closeClients()
    await server.stop()
  }
})
