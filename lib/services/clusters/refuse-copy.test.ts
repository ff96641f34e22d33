import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { failure } from '@/testenv/deciding'
import { systemCtx } from '../context'
import { installLatch } from '../latch/install-latch'
import { addCluster } from './add-cluster'
import { closeClients } from './connection'
import { replaceCredentials } from './replace-credentials'

useTestDatabase()
const ctx = systemCtx('test')
const DEPLOYMENTS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
let cluster: SandboxTestCluster
let id: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  const namespace = await cluster.namespace()
  const { machineDeployment } = await cluster.workloadCluster({
    ...{ namespace, name: 'w', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  id = (await cluster.admin.get(DEPLOYMENTS, machineDeployment, namespace)).metadata.uid
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const group = (clusterId: string) => ({
  ...{ id, clusterId, kind: 'MachineDeployment', apiVersion: 'cluster.x-k8s.io/v1beta2', namespace: 'n', name: 'w-md' },
  ...{ workloadCluster: 'w', resourceVersion: '1', createdAt: new Date() },
})

test('a copy of a connected cluster is refused, whatever its kube-system is, also where it is connected again', async () => {
  const atlas = await db().managementCluster.create({ data: { name: 'atlas', server: 'https://atlas:6443' } })
  await db().group.create({ data: group(atlas.id) })
  // Disconnected: its rows are left over, and whoever answers with them has them now.
  const { clusterId } = await addCluster(ctx, { name: 'copy', kubeconfig: cluster.kubeconfig })
  const sealed = { sealed: Buffer.from([0]), keyId: 'none' }
  await db().clusterCredential.create({ data: { clusterId: atlas.id, ...sealed } })
  // As long as it is connected, it may have new credentials.
  await replaceCredentials(ctx, { clusterId, kubeconfig: cluster.kubeconfig })
  await db().clusterCredential.delete({ where: { clusterId } })
  const refused = {
    code: 'conflict',
    message: 'This is a copy of atlas, or atlas is one of it: the same objects are in both, by their uids (1 object).',
    more: { hint: expect.stringContaining('Disconnect atlas first') as string, fields: [{ field: 'kubeconfig' }] },
  }
  expect(await failure(replaceCredentials(ctx, { clusterId, kubeconfig: cluster.kubeconfig }))).toMatchObject(refused)
  await db().managementCluster.delete({ where: { id: clusterId } })
  expect(await failure(addCluster(ctx, { name: 'again', kubeconfig: cluster.kubeconfig }))).toMatchObject(refused)
  expect(await db().managementCluster.count()).toBe(1)
  await db().clusterCredential.delete({ where: { clusterId: atlas.id } })
  const again = await addCluster(ctx, { name: 'again', kubeconfig: cluster.kubeconfig })
  // Both from before: a latch there would hold what no page shows.
  await db().clusterCredential.create({ data: { clusterId: atlas.id, ...sealed } })
  const latch = { ...again, governs: 'all' }
  expect(await failure(installLatch(ctx, latch))).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('and are followed there alone') as string,
    more: { hint: 'One is a copy of the other. Disconnect atlas, or again, first.' },
  })
  expect(await db().managementCluster.findUnique({ where: { id: again.clusterId } })).toMatchObject({
    latchForm: 'none',
  })
})
