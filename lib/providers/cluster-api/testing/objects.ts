import type { Json, JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'

const CORE = 'cluster.x-k8s.io/v1beta2'
const AT = '2026-01-01T10:00:00Z'

/** A condition in the new style. */
export function condition(type: string, status: string, reason: string, message = ''): JsonObject {
  return { type, status, reason, message, lastTransitionTime: AT, observedGeneration: 3 }
}

/** Conditions of a Machine in the order in which the controllers keep them; `changed` replaces by type. */
export function machineConditions(...changed: JsonObject[]): JsonObject[] {
  const usual = [
    condition('Available', 'True', 'Available'),
    condition('Ready', 'True', 'Ready'),
    condition('UpToDate', 'True', 'UpToDate'),
    condition('BootstrapConfigReady', 'True', 'Ready'),
    condition('InfrastructureReady', 'True', 'Ready'),
    condition('NodeHealthy', 'True', 'NodeHealthy'),
    condition('NodeReady', 'True', 'NodeReady'),
    condition('Updating', 'False', 'NotUpdating'),
    condition('Paused', 'False', 'NotPaused'),
    condition('Deleting', 'False', 'NotDeleting'),
  ]
  return usual.map((c) => changed.find((other) => other.type === c.type) ?? c)
}

export interface MachineWords {
  namespace?: string
  name: string
  uid?: string
  cluster?: string
  deployment?: string
  machineSet?: string
  version?: string
  phase?: string
  conditions?: JsonObject[]
  status?: JsonObject
  metadata?: Partial<KubeObject['metadata']>
}

/** A running worker Machine as a v1.14 manager leaves it, managedFields and all: about 7 KB. */
export function machine(words: MachineWords): KubeObject {
  const { namespace = 'fleet', name, uid, cluster = 'c1', deployment = 'c1-md', machineSet = 'c1-md-s5fgz' } = words
  const { version = 'v1.34.0', phase = 'Running', conditions = machineConditions() } = words
  const hash = `675984458-${machineSet.slice(-5)}`
  const labels = {
    'cluster.x-k8s.io/cluster-name': cluster,
    'cluster.x-k8s.io/deployment-name': deployment,
    'cluster.x-k8s.io/set-name': machineSet,
    'machine-template-hash': hash,
  }
  return {
    apiVersion: CORE,
    kind: 'Machine',
    metadata: {
      annotations: { 'machine.inmemory.infrastructure.cluster.x-k8s.io/bootstrapped': '' },
      creationTimestamp: AT,
      finalizers: ['machine.cluster.x-k8s.io'],
      generation: 3,
      labels,
      managedFields: MANAGED_FIELDS as KubeObject['metadata']['managedFields'],
      name,
      namespace,
      ownerReferences: [
        { apiVersion: CORE, controller: true, kind: 'MachineSet', name: machineSet, uid: `uid-${machineSet}` },
      ],
      resourceVersion: '1',
      uid: uid ?? `uid-${name}`,
      ...words.metadata,
    },
    spec: {
      bootstrap: {
        configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name },
        dataSecretName: name,
      },
      clusterName: cluster,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachine', name },
      providerID: `in-memory://${name}`,
      version,
    },
    status: {
      conditions,
      deprecated: { v1beta1: { conditions: OLD_CONDITIONS } },
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      lastUpdated: AT,
      nodeInfo: NODE_INFO(version),
      nodeRef: { name },
      observedGeneration: 3,
      phase,
      ...words.status,
    },
  }
}

/** A MachineDeployment of three in the resting state; `spec`, `status` and `metadata` are laid over it. */
export function machineDeployment(
  name: string,
  over: { spec?: JsonObject; status?: JsonObject; metadata?: Partial<KubeObject['metadata']> } = {},
): KubeObject {
  return {
    apiVersion: CORE,
    kind: 'MachineDeployment',
    metadata: { ...meta(name), labels: { 'cluster.x-k8s.io/cluster-name': 'c1' }, generation: 2, ...over.metadata },
    spec: {
      clusterName: 'c1',
      replicas: 3,
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      selector: { matchLabels: {} },
      template: { spec: { clusterName: 'c1', version: 'v1.34.0' } },
      ...over.spec,
    },
    status: {
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      upToDateReplicas: 3,
      observedGeneration: 2,
      conditions: [condition('Available', 'True', 'Available'), condition('RollingOut', 'False', 'NotRollingOut')],
      ...over.status,
    },
  }
}

export function machineSet(name: string, deployment: string | null): KubeObject {
  const owner = {
    apiVersion: CORE,
    controller: true,
    kind: 'MachineDeployment',
    name: deployment ?? '',
    uid: `uid-${deployment}`,
  }
  return {
    apiVersion: CORE,
    kind: 'MachineSet',
    metadata: { ...meta(name), ...(deployment && { ownerReferences: [owner] }) },
    spec: { clusterName: 'c1', replicas: 3, template: { spec: { version: 'v1.34.0' } } },
    status: { replicas: 3 },
  }
}

export function cluster(name: string, spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: CORE,
    kind: 'Cluster',
    metadata: meta(name),
    spec: {
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: `${name}-cp` },
      ...spec,
    },
    status: { phase: 'Provisioned', conditions: [condition('Available', 'True', 'Available')], ...status },
  }
}

const meta = (name: string): KubeObject['metadata'] => ({
  name,
  namespace: 'fleet',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: AT,
})

const NODE_INFO = (kubeletVersion: string): JsonObject => ({
  architecture: 'amd64',
  bootID: 'a2f1c6de-1c29-4c2b-9f6e-0d6a4b1e7a11',
  containerRuntimeVersion: 'containerd://2.1.4',
  kernelVersion: '6.8.0-63-generic',
  kubeProxyVersion: '',
  kubeletVersion,
  machineID: '0f4f3ad6c9c44f5d8f2f8a1d4f6b2c55',
  operatingSystem: 'linux',
  osImage: 'Ubuntu 24.04.2 LTS',
  systemUUID: '0f4f3ad6-c9c4-4f5d-8f2f-8a1d4f6b2c55',
})

const OLD_CONDITIONS = ['Ready', 'BootstrapReady', 'InfrastructureReady', 'NodeHealthy'].map((type) => ({
  lastTransitionTime: AT,
  status: 'True',
  type,
}))

const fields = (...names: string[]): JsonObject => Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
const ofCondition = (): JsonObject => ({
  '.': {},
  ...fields('lastTransitionTime', 'message', 'observedGeneration', 'reason', 'status', 'type'),
})
const entry = (manager: string, operation: string, fieldsV1: JsonObject, subresource?: string): Json => ({
  apiVersion: CORE,
  fieldsType: 'FieldsV1',
  fieldsV1,
  manager,
  operation,
  time: AT,
  ...(subresource && { subresource }),
})

/** More than half of a real Machine's bytes. */
const MANAGED_FIELDS: Json[] = [
  entry('capi-machineset', 'Apply', {
    'f:metadata': {
      'f:finalizers': { 'v:"machine.cluster.x-k8s.io"': {} },
      'f:labels': fields(
        'cluster.x-k8s.io/cluster-name',
        'cluster.x-k8s.io/deployment-name',
        'cluster.x-k8s.io/set-name',
        'machine-template-hash',
      ),
      'f:ownerReferences': { 'k:{"uid":"b6aa016f-e8e8-410c-9a41-bfdde09f1013"}': {} },
    },
    'f:spec': {
      'f:bootstrap': { 'f:configRef': fields('apiGroup', 'kind', 'name') },
      'f:infrastructureRef': fields('apiGroup', 'kind', 'name'),
      ...fields('clusterName', 'version'),
    },
  }),
  entry('capi-core', 'Update', { 'f:spec': { 'f:bootstrap': fields('dataSecretName'), ...fields('providerID') } }),
  entry('capi-infrastructure', 'Update', {
    'f:metadata': {
      'f:annotations': { '.': {}, ...fields('machine.inmemory.infrastructure.cluster.x-k8s.io/bootstrapped') },
    },
  }),
  entry(
    'capi-core',
    'Update',
    {
      'f:status': {
        '.': {},
        'f:conditions': {
          '.': {},
          ...Object.fromEntries(machineConditions().map((c) => [`k:{"type":"${String(c.type)}"}`, ofCondition()])),
        },
        'f:deprecated': { '.': {}, 'f:v1beta1': { '.': {}, ...fields('conditions') } },
        'f:initialization': { '.': {}, ...fields('bootstrapDataSecretCreated', 'infrastructureProvisioned') },
        'f:nodeInfo': { '.': {}, ...Object.fromEntries(Object.keys(NODE_INFO('')).map((key) => [`f:${key}`, {}])) },
        'f:nodeRef': { '.': {}, ...fields('name') },
        ...fields('lastUpdated', 'observedGeneration', 'phase'),
      },
    },
    'status',
  ),
]
