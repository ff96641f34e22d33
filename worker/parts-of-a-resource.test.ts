import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import type { Consumer } from './types'
import { startWorker, type Worker } from './worker'

useTestDatabase()

let server: RunningApiServer
let worker: Worker
afterEach(async () => {
  await worker.stop()
  await closeClients()
  await server.stop()
  await db().managementCluster.deleteMany()
})

/** Follows config maps with the rights of all manifests but those for `without`; begun: it was told that its lists are in. */
async function follow(without?: string): Promise<{ keys: Set<string>; begun: () => boolean }> {
  const manifests = rbacManifest(['openshift']).filter(
    (o) => !without || (o.metadata as { namespace?: string }).namespace !== without,
  )
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rulesFromManifests(manifests) },
  })
  const admin = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'admin' } } as const
  await addCluster(admin, { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })
  const keys = new Set<string>()
  let begun = false
  const consumer: Consumer = {
    name: 'parts',
    resources: ['configmaps', 'provisionings.metal3.io'],
    async onSynced(view) {
      begun = true
      for (const key of view.objects('configmaps').keys()) keys.add(key)
      return Promise.resolve()
    },
    onChanges: () => Promise.resolve(),
  }
  worker = await startWorker({
    ...{ consumers: [consumer], parts: [], intervalMs: 20, tickMs: 100, log: pino({ level: 'silent' }) },
  })
  return { keys, begun: () => begun }
}

const streams = async () =>
  Object.fromEntries((await db().stream.findMany()).map(({ resource, state }) => [resource, state]))
const until = (check: () => unknown) => expect.poll(check, { timeout: 25_000, interval: 50 })

test('whoever follows a resource is told when every part of it is listed, and finds them in one cache', async () => {
  const { keys } = await follow()
  await until(() => [...keys].sort()).toEqual([
    'openshift-config-managed/admin-gates',
    'openshift-config/admin-acks',
    'openshift-machine-config-operator/coreos-bootimages',
  ])
  await until(streams).toMatchObject({
    'configmaps/coreos-bootimages': 'watching',
    'configmaps/admin-gates': 'watching',
    'configmaps/admin-acks': 'watching',
    'machineconfignodes.machineconfiguration.openshift.io': 'watching',
    'provisionings.metal3.io': 'watching',
  })
})

test('a part that may not be read is told by its name, and the others are watched', async () => {
  const { begun } = await follow('openshift-config')
  await until(streams).toMatchObject({
    'configmaps/coreos-bootimages': 'watching',
    'configmaps/admin-gates': 'watching',
    'configmaps/admin-acks': 'backoff',
  })
  const told = async () => (await db().managementCluster.findFirstOrThrow()).stateMessage
  await until(told).toMatch(/^Drydock may not read configmaps\/admin-acks: /)
  expect(begun()).toBe(false)
})
