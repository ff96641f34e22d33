import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject, WriteAs } from '../types'
import { cloneOf } from './clones'
import type { Env } from './env'
import { json, type MachineSpec, type Ref } from './kinds'
import { BOOTSTRAP, CONFIGS, CORE, DEV_MACHINES, INFRASTRUCTURE, MACHINES } from './names'

export interface NewMachine {
  name: string
  namespace: string | undefined
  labels: Record<string, string>
  annotations?: Record<string, string>
  owner: { apiVersion: string; kind: string; name: string; uid: string }
  spec: Omit<MachineSpec, 'bootstrap' | 'infrastructureRef'>
  infrastructureTemplate: SandboxObject
  bootstrap: { spec: JsonObject; annotations?: Record<string, string> } | { dataSecretName: string }
}

/** The Machine with its host and its kubeadm config, all under one name. */
export async function createMachine(env: Env, wanted: NewMachine, as: WriteAs) {
  const { name, namespace, labels } = wanted
  const ref = (apiGroup: string, kind: string): Ref => ({ apiGroup, kind, name })
  const configured = 'spec' in wanted.bootstrap
  const machine = await env.store.create(
    MACHINES,
    json({
      apiVersion: CORE,
      kind: 'Machine',
      metadata: {
        name,
        namespace,
        labels,
        annotations: wanted.annotations,
        finalizers: ['machine.cluster.x-k8s.io'],
        ownerReferences: [{ ...wanted.owner, controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        ...wanted.spec,
        deletion: { nodeDeletionTimeoutSeconds: 10, ...wanted.spec.deletion },
        bootstrap: configured ? { configRef: ref('bootstrap.cluster.x-k8s.io', 'KubeadmConfig') } : wanted.bootstrap,
        infrastructureRef: ref(
          'infrastructure.cluster.x-k8s.io',
          wanted.infrastructureTemplate.kind.replace(/Template$/, ''),
        ),
      },
    }),
    as,
  )
  const owned = {
    name,
    namespace,
    ownerReferences: [
      {
        apiVersion: CORE,
        kind: 'Machine',
        name,
        uid: machine.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  }
  if ('spec' in wanted.bootstrap) {
    const { spec, annotations } = wanted.bootstrap
    const metadata = { ...owned, labels, annotations }
    await env.store.create(CONFIGS, json({ apiVersion: BOOTSTRAP, kind: 'KubeadmConfig', metadata, spec }), as)
  }
  const clone = cloneOf(wanted.infrastructureTemplate, { labels })
  await env.store.create(
    DEV_MACHINES,
    json({
      apiVersion: INFRASTRUCTURE,
      kind: 'DevMachine',
      metadata: {
        ...owned,
        labels: clone.labels,
        annotations: clone.annotations,
        finalizers: ['dockermachine.infrastructure.cluster.x-k8s.io'],
      },
      spec: clone.spec,
    }),
    as,
  )
}
