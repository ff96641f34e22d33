import { randomBytes } from 'node:crypto'
import { nodePatcher, startReferenceUpdater } from '@/examples/updater'
import type { JsonObject } from '@/lib/domain/json'
import type { Resource } from '@/lib/kubernetes/types'
import { makeAuthority, makeLeaf } from '@/worker/gate/certificates'
import { object, WORKER_BOOTSTRAP } from '../clusters/plain'
import { until } from '../process'
import type { TestCluster } from '../types'
import { KINDS } from './capture'

const EXTENSIONS: Resource = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }
const TEMPLATES: Resource = {
  group: 'bootstrap.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'kubeadmconfigtemplates',
}
const VERSION = 'v1.34.0'

/** What machines are made of, by name: the first is what they have before anything is recorded. */
export const REVISIONS = ['first', 'second', 'third'] as const
export type Revision = (typeof REVISIONS)[number]

export interface Shape {
  replicas: number
  maxSurge?: number | string
  maxUnavailable?: number | string
  onDelete?: boolean
  deletes?: 'Random' | 'Newest' | 'Oldest'
  /** Its machines are made one by one, so that no two are of the same age. */
  apart?: boolean
}

/** Where rollouts are recorded: a namespace with a workload cluster, and where wanted an updater for that namespace only. */
export interface Stage {
  cluster: TestCluster
  namespace: string
  updater: boolean
  /** A MachineDeployment that is all there. */
  group(name: string, shape: Shape): Promise<void>
  stop(): Promise<void>
}

/** `updaterMs`: how long an updater takes for a machine; absent: there is none, and everything is replaced. */
export async function stage(cluster: TestCluster, updaterMs?: number): Promise<Stage> {
  const { admin } = cluster
  const label = `recording-${randomBytes(4).toString('hex')}`
  const namespace = await cluster.namespace({ [label]: '' })
  const ends = updaterMs === undefined ? undefined : await startUpdater(cluster, label, updaterMs)
  try {
    await cluster.workloadCluster({ namespace, name: 'stage', version: VERSION })
    for (const revision of REVISIONS) {
      const spec = {
        ...(WORKER_BOOTSTRAP.template as { spec: JsonObject }).spec,
        preKubeadmCommands: [`echo ${revision}`],
      }
      const made = object(TEMPLATES.group, 'KubeadmConfigTemplate', namespace, revision, { template: { spec } })
      await admin.create(TEMPLATES, made, namespace)
    }
  } catch (error) {
    await ends?.()
    throw error
  }
  return {
    ...{ cluster, namespace, updater: updaterMs !== undefined },
    group: async (name, shape) => {
      const { replicas, apart } = shape
      const first = apart ? 1 : replicas
      await admin.create(KINDS.deployment, deployment(namespace, name, { ...shape, replicas: first }), namespace)
      await settled({ cluster, namespace }, name, first)
      for (let next = first + 1; next <= replicas; next++) {
        await admin.patch(KINDS.deployment, name, namespace, 'merge', { spec: { replicas: next } })
        await settled({ cluster, namespace }, name, next)
      }
    },
    stop: async () => ends?.(),
  }
}

/** All machines there, and nothing left to count. */
export async function settled(
  { cluster, namespace }: Pick<Stage, 'cluster' | 'namespace'>,
  name: string,
  replicas: number,
) {
  const over = async () => {
    const { metadata, spec, status = {} } = await cluster.admin.get(KINDS.deployment, name, namespace)
    const counts = [spec?.replicas, status.replicas, status.availableReplicas, status.upToDateReplicas]
    if (status.observedGeneration !== metadata.generation || counts.some((count) => (count ?? 0) !== replicas))
      return false
    // Old sets go when the rollout is over.
    const { items } = await cluster.admin.list(KINDS.set, namespace, { limit: 500 })
    return items.filter((set) => set.metadata.ownerReferences?.some((owner) => owner.name === name)).length === 1
  }
  await until(`${name} to come to rest with ${replicas} machines`, over, { ms: 400_000, every: 400 })
}

function deployment(namespace: string, name: string, shape: Shape): JsonObject {
  const { replicas, maxSurge = 1, maxUnavailable = 0, onDelete, deletes } = shape
  const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
  return object('cluster.x-k8s.io', 'MachineDeployment', namespace, name, {
    ...{ clusterName: 'stage', replicas, selector: { matchLabels: {} } },
    ...(deletes ? { deletion: { order: deletes } } : {}),
    rollout: { strategy: onDelete ? { type: 'OnDelete' } : rolling },
    template: {
      spec: {
        ...{ clusterName: 'stage', version: VERSION },
        bootstrap: { configRef: { apiGroup: TEMPLATES.group, kind: 'KubeadmConfigTemplate', name: 'first' } },
        infrastructureRef: {
          apiGroup: 'infrastructure.cluster.x-k8s.io',
          kind: 'DevMachineTemplate',
          name: 'stage-md',
        },
      },
    },
  })
}

/** It covers everything that the revisions differ in, and is asked about one namespace only. Returns what ends it. */
async function startUpdater(cluster: TestCluster, label: string, delayMs: number): Promise<() => Promise<void>> {
  const { admin } = cluster
  const authority = await makeAuthority()
  const tls = await makeLeaf(authority, ['127.0.0.1', 'localhost'])
  const onNode = nodePatcher(cluster.adminKubeconfig)
  const updater = await startReferenceUpdater({ host: '127.0.0.1', port: 0, tls, delayMs, onNode })
  const end = async () => {
    // First, so that no manager asks somebody who is not there.
    await admin.delete(EXTENSIONS, label)
    await updater.stop()
  }
  await admin.create(EXTENSIONS, {
    ...{ apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', metadata: { name: label } },
    spec: {
      clientConfig: { url: updater.url, caBundle: Buffer.from(authority.certPem).toString('base64') },
      namespaceSelector: { matchExpressions: [{ key: label, operator: 'Exists' }] },
    },
  })
  try {
    const found = async () =>
      JSON.stringify((await admin.get(EXTENSIONS, label)).status ?? {}).includes('updatemachine.')
    await until('the managers to discover the updater', found, { ms: 60_000, every: 100 })
  } catch (error) {
    await end()
    throw error
  }
  return end
}
