import { randomBytes } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { Change, Prisma } from '@/lib/db/generated/client'
import { masked, summaryOf, versionsOf } from '@/lib/domain/changes'
import type { Capabilities } from '@/lib/domain/capabilities'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { wishes } from '@/lib/domain/waves'
import { keyedDigest } from '@/lib/seal'
import { letGoOf } from '@/lib/services/changes/let-go'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf, clientSource } from '@/lib/providers/cluster-api/changes'
import type { SandboxTestCluster } from '@/sandbox/test-cluster'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { groupResource } from '@/lib/services/changes/patch-for'
import { GOVERNED, untilLatched } from './latch'

export const MD = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
type Kind = 'MachineDeployment' | 'KubeadmControlPlane'

export interface Held {
  change: Change
  kind: Kind
  namespace: string
  name: string
  read(): Promise<KubeObject>
  /** The desired state moves on, as somebody with kubectl would write it. */
  bump(version: string): Promise<KubeObject>
}

/** A workload cluster in a governed namespace whose MachineDeployment or control plane is held, with its change row. */
export async function heldChange(
  cluster: SandboxTestCluster,
  clusterId: string,
  kind: Kind = 'MachineDeployment',
  machines = 1,
): Promise<Held> {
  const worker = kind === 'MachineDeployment'
  const namespace = await cluster.namespace(GOVERNED)
  const created = await cluster.workloadCluster({
    namespace,
    name: `w${randomBytes(3).toString('hex')}`,
    version: 'v1.34.0',
    controlPlane: { replicas: worker || machines < 3 ? 1 : 3 },
    workers: { replicas: worker ? machines : 1 },
  })
  await untilLatched(cluster.admin, namespace, created.machineDeployment)
  const name = worker ? created.machineDeployment : created.controlPlane
  const resource = groupResource(kind, worker ? 'cluster.x-k8s.io/v1beta2' : 'controlplane.cluster.x-k8s.io/v1beta2')
  const read = () => cluster.admin.get(resource, name, namespace)
  const bump = (version: string) =>
    cluster.admin.patch(resource, name, namespace, 'merge', {
      spec: worker ? { template: { spec: { version } } } : { version },
    })
  const before = rolloutDigest(await read())
  await bump('v1.34.1')
  return { change: await rowFor(clusterId, await read(), before), kind, namespace, name, read, bump }
}

/** The row that the planner writes for what the object wants now. */
async function rowFor(clusterId: string, object: KubeObject, letGo: string | null): Promise<Change> {
  const client = await kubeClientFor(clusterId)
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const { resources } = discovery as unknown as Capabilities
  const { pairs, digest, fingerprint } = await changeOf(
    object,
    clientSource({ client, resources, letGo: (uid) => letGoOf(clusterId, uid) }),
  )
  const shown = pairs.map(({ pair }) => ({ ...pair, changes: masked(pair.changes, pair.fingerprint, keyedDigest) }))
  const fields = shown.flatMap((pair) => pair.changes)
  const { from, to } = versionsOf(fields)
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '1 machine would be replaced.' }
  const { name, namespace = '', uid, resourceVersion } = object.metadata
  const workloadCluster = String(object.metadata.labels?.['cluster.x-k8s.io/cluster-name'])
  const common = { clusterId, namespace, workloadCluster, resourceVersion }
  const { kind, apiVersion } = object
  await db().group.create({ data: { ...common, id: uid, kind, apiVersion, name, letGo, createdAt: new Date() } })
  return db().change.create({
    data: {
      ...{
        ...common,
        groupId: uid,
        groupKind: kind,
        groupName: name,
        fingerprint,
        digest,
        state: 'waiting',
        heldBy: 'latch',
      },
      ...{
        summary: summaryOf({ pairs: shown, fields }),
        ...wishes({ pairs: shown, fields }),
        fromVersion: from,
        toVersion: to,
        machines: 1,
        author: 'kubectl',
      },
      changeSet: { pairs: shown, fields } as unknown as Prisma.InputJsonValue,
      outlook: { inPlace: { ...outcome, deleted: 0 }, replace: outcome, uncovered: [] } as Prisma.InputJsonValue,
    },
  })
}
