import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { failure, latchedCluster } from '@/testenv/deciding'
import { kubeClientFor } from '../clusters/connection'
import { planDisconnect } from '../clusters/disconnect-cluster'
import { systemCtx } from '../context'
import { planRemoveLatch } from './plan-remove-latch'

useTestDatabase()
const at = latchedCluster()
const ctx = systemCtx('test')
const KIND = 'kubeadmcontrolplanes'

test('another control plane provider: what is there is found, and what is not served stops neither verb', async () => {
  const held = await at.held()
  const group = `MachineDeployment ${held.namespace}/${held.name}`
  const client = await kubeClientFor(at.clusterId)
  const { list, get } = client as Pick<KubeClient, 'list' | 'get'>
  client.get = async (resource, name, ...rest) => {
    if (!name.startsWith(KIND)) return get(resource, name, ...rest)
    throw new KubeError(404, { kind: 'Status', code: 404, message: 'no such definition' }, 'GET')
  }
  client.list = async (resource, ...rest) => {
    if (resource.plural !== KIND) return list(resource, ...rest)
    throw new KubeError(404, { kind: 'Status', code: 404, message: '404 page not found' }, 'GET')
  }
  try {
    const { clusterId } = at
    // Served when it was last looked: that nothing answers there now is no reason to take it for empty.
    expect((await failure(planDisconnect(ctx, { clusterId }))).more.answer).toContain('404')
    const where = { id: clusterId }
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where })
    const { [`${KIND}.controlplane.cluster.x-k8s.io`]: _gone, ...resources } = (discovery as unknown as Capabilities)
      .resources
    await db().managementCluster.update({ where, data: { discovery: { ...(discovery as object), resources } } })
    expect((await planDisconnect(ctx, { clusterId })).staysHeld).toEqual([group])
    expect((await planRemoveLatch(ctx, { clusterId })).held).toEqual([group])
  } finally {
    Object.assign(client, { list, get })
  }
  // Installed since: asked all the same.
  const plane = await at.held('KubeadmControlPlane')
  expect((await planRemoveLatch(ctx, { clusterId: at.clusterId })).held).toContain(
    `KubeadmControlPlane ${plane.namespace}/${plane.name}`,
  )
})
