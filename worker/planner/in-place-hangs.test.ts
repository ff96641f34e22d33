import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD } from '@/lib/domain/latch/names'
import { KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients, kubeClientFor } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { bound } from '@/testenv/bound'
import { until } from '@/testenv/process'
import { KCP, MD } from '@/testenv/suites/watching'
import { askedConsumer } from '../asked'
import type { ClusterView } from '../types'

useTestDatabase()
let cluster: SandboxTestCluster
let clusterId: string
beforeAll(async () => {
  cluster = await sandboxTestCluster()
  clusterId = (await addCluster(systemCtx('test'), { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const KINDS = { MachineDeployment: MD, KubeadmControlPlane: KCP }

/** Approved in place, and under way. */
async function underWay(groupKind: keyof typeof KINDS, groupName: string, namespace: string) {
  const read = () => cluster.admin.get(KINDS[groupKind], groupName, namespace)
  const { uid, resourceVersion } = (await read()).metadata
  await db().change.create({
    data: {
      ...{ clusterId, groupId: uid, groupKind, namespace, groupName },
      ...{ workloadCluster: 'one', fingerprint: 'f', state: 'running', summary: '', changeSet: {}, outlook: {} },
      ...{ heldBy: 'latch', resourceVersion, machines: 1 },
      decisions: { create: { fingerprint: 'f', mode: 'in-place', state: 'accepted', actorId: 'a', actorName: 'Ada' } },
    },
  })
  return { isHeld: async () => HELD in ((await read()).metadata.annotations ?? {}) }
}

const make = async (name: string) => {
  const namespace = await cluster.namespace()
  const made = await cluster.workloadCluster({
    ...{ namespace, name, version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  return { namespace, ...made }
}

test('where nobody asks any more, workers that are not answered about keep no control plane going, now or a moment later', async () => {
  const client = await kubeClientFor(clusterId)
  const [one, other] = [await make('one'), await make('other')]
  await underWay('MachineDeployment', one.machineDeployment, one.namespace)
  const plane = await underWay('KubeadmControlPlane', one.controlPlane, one.namespace)
  let end: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('no answer', 'GET'))))
  let asked = 0
  const get: KubeClient['get'] = (resource, name, ...more) => {
    if (name !== one.machineDeployment) return client.get(resource, name, ...more)
    asked++
    return ended
  }
  const view: ClusterView = {
    ...{ clusterId, name: 'm', client: { ...bound(client), get }, fence: 0n, objects: () => new Map() },
    capabilities: { resources: {} } as Capabilities,
  }
  await askedConsumer.onSynced(view)
  try {
    await until('the control plane to be held', plane.isHeld, { ms: 40_000 })
    // What was released a moment later is held by the next round, which leaves alone what hangs.
    const later = await underWay('MachineDeployment', other.machineDeployment, other.namespace)
    await until('what came later to be held', later.isHeld, { ms: 40_000 })
    expect(asked).toBe(1)
  } finally {
    askedConsumer.forget?.(view)
    end()
  }
})
