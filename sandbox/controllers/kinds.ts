import type { IntOrPercent } from '../../lib/domain/rollout'
import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject } from '../types'

/** The parts of the objects that the controllers read. All come from the store and are never mutated. */
export type Ref = { apiGroup: string; kind: string; name: string }

export type Condition = {
  type: string
  status: string
  reason: string
  message: string
  lastTransitionTime: string
  observedGeneration?: number
}

export type Counters = {
  replicas?: number
  readyReplicas?: number
  availableReplicas?: number
  upToDateReplicas?: number
  versions?: { version: string; replicas: number }[]
}

type WithConditions = { conditions?: Condition[]; observedGeneration?: number }

interface Kind<S, T> extends Omit<SandboxObject, 'spec' | 'status'> {
  spec: S
  status?: T & WithConditions
}

export type MachineSpec = {
  clusterName: string
  version?: string
  failureDomain?: string
  bootstrap: { configRef?: Ref; dataSecretName?: string }
  infrastructureRef: Ref
  providerID?: string
  minReadySeconds?: number
  readinessGates?: { conditionType: string }[]
  taints?: JsonObject[]
  deletion?: { nodeDrainTimeoutSeconds?: number; nodeDeletionTimeoutSeconds?: number; order?: string }
}

export type Template = {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: MachineSpec
}

export type Machine = Kind<
  MachineSpec,
  {
    phase?: string
    nodeRef?: { name: string }
    nodeInfo?: { kubeletVersion: string }
    initialization?: { bootstrapDataSecretCreated?: boolean; infrastructureProvisioned?: boolean }
    deletion?: { nodeDrainStartTime?: string; waitForNodeVolumeDetachStartTime?: string }
    certificatesExpiryDate?: string
    lastUpdated?: string
  }
>

export type MachineSet = Kind<
  { clusterName: string; replicas?: number; template: Template; deletion?: { order?: string } },
  Counters
>

export type MachineDeployment = Kind<
  {
    clusterName: string
    replicas?: number
    paused?: boolean
    remediation?: { maxInFlight?: IntOrPercent }
    template: Template
    deletion?: { order?: string }
    rollout?: {
      after?: string
      strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } }
    }
  },
  Counters & { phase?: string }
>

export type ControlPlane = Kind<
  {
    replicas?: number
    version: string
    kubeadmConfigSpec?: JsonObject
    machineTemplate: { metadata?: Template['metadata']; spec: Omit<MachineSpec, 'clusterName' | 'bootstrap'> }
    rollout?: { after?: string; strategy?: { rollingUpdate?: { maxSurge?: IntOrPercent } } }
  },
  Counters & { version?: string; initialization?: { controlPlaneInitialized?: boolean } }
>

export type Topology = {
  classRef: { name: string; namespace?: string }
  version: string
  controlPlane?: { replicas?: number; metadata?: Template['metadata'] }
  workers?: {
    machineDeployments?: {
      class: string
      name: string
      replicas?: number
      metadata?: Template['metadata']
      rollout?: MachineDeployment['spec']['rollout']
    }[]
  }
}

export type Cluster = Kind<
  {
    paused?: boolean
    controlPlaneRef?: Ref
    infrastructureRef?: Ref
    controlPlaneEndpoint?: { host: string; port: number }
    topology?: Topology
  },
  {
    phase?: string
    initialization?: { infrastructureProvisioned?: boolean; controlPlaneInitialized?: boolean }
    failureDomains?: { name: string; controlPlane?: boolean }[]
    controlPlane?: Counters & { desiredReplicas?: number }
    workers?: Counters & { desiredReplicas?: number }
  }
>

export type UnhealthyCondition = { type: string; status: string; timeoutSeconds?: number }

export type MachineHealthCheck = Kind<
  {
    clusterName: string
    selector: { matchLabels?: Record<string, string>; matchExpressions?: LabelExpression[] }
    checks?: {
      nodeStartupTimeoutSeconds?: number
      unhealthyNodeConditions?: UnhealthyCondition[]
      unhealthyMachineConditions?: UnhealthyCondition[]
    }
    remediation?: { triggerIf?: { unhealthyLessThanOrEqualTo?: IntOrPercent; unhealthyInRange?: string } }
  },
  { expectedMachines?: number; currentHealthy?: number; remediationsAllowed?: number; targets?: string[] }
>

export type LabelExpression = { key: string; operator: string; values?: string[] }

export type Config = Kind<JsonObject, { dataSecretName?: string; initialization?: { dataSecretCreated?: boolean } }>
export type Infrastructure = Kind<JsonObject & { providerID?: string }, { initialization?: { provisioned?: boolean } }>

export type Handler = {
  name: string
  requestHook: { apiVersion: string; hook: string }
  timeoutSeconds: number
  failurePolicy: 'Fail' | 'Ignore'
}

export type ExtensionConfig = Kind<
  {
    clientConfig: {
      url?: string
      caBundle?: string
      service?: { name: string; namespace: string; path?: string; port?: number }
    }
    namespaceSelector?: {
      matchLabels?: Record<string, string>
      matchExpressions?: LabelExpression[]
    }
    settings?: Record<string, string>
  },
  { handlers?: Handler[] }
>

/** As plain JSON: no undefined, nothing shared with the store. */
export const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject

export const keyOf = (object: { metadata: { namespace?: string; name: string } }) =>
  object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name

export const has = (object: { metadata: { annotations?: Record<string, string> } }, annotation: string) =>
  object.metadata.annotations?.[annotation] !== undefined

export const listed = (value: string | undefined) => (value ? value.split(',').filter(Boolean) : [])

export const isUpdating = (machine: Machine) =>
  has(machine, 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress') ||
  listed(machine.metadata.annotations?.['runtime.cluster.x-k8s.io/pending-hooks']).includes('UpdateMachine')
