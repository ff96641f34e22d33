import type { JsonObject } from '../../lib/domain/json'
import { condition, setConditions, type Wanted } from '../controllers/conditions'
import { json, type Condition, type Machine } from '../controllers/kinds'
import * as N from '../controllers/names'
import type { SandboxObject } from '../types'
import { ownedBy, type Seeds } from './seeds'

const HOUR = 3_600_000
const COMPONENTS: [string, string][] = [
  ['NodeKubeadmLabelsAndTaintsSet', 'Set'],
  ['EtcdPodHealthy', 'Running'],
  ['EtcdMemberHealthy', 'Healthy'],
  ['APIServerPodHealthy', 'Running'],
  ['ControllerManagerPodHealthy', 'Running'],
  ['SchedulerPodHealthy', 'Running'],
]

const settled = (controlPlane: boolean, outdated?: string): Wanted[] => [
  condition('Available', true, 'Available'),
  condition('Ready', true, 'Ready'),
  outdated ? condition('UpToDate', false, 'NotUpToDate', `* ${outdated}`) : condition('UpToDate', true, 'UpToDate'),
  condition('BootstrapConfigReady', true, 'Ready'),
  condition('InfrastructureReady', true, 'Ready'),
  condition('NodeHealthy', true, 'NodeHealthy'),
  condition('NodeReady', true, 'NodeReady'),
  ...(controlPlane ? COMPONENTS.map(([type, reason]) => condition(type, true, reason)) : []),
  condition('Updating', false, 'NotUpdating'),
  condition('Paused', false, 'NotPaused'),
  condition('Deleting', false, 'NotDeleting'),
]

export interface MachineSeed {
  name: string
  namespace: string
  cluster: string
  version: string
  owner: SandboxObject
  labels: Record<string, string>
  infrastructureTemplate: SandboxObject
  bootstrap: { spec: JsonObject; template?: SandboxObject }
  controlPlane?: boolean
  failureDomain?: string
  age: number
  outdated?: string
  /** Draining since this long, held up by this PodDisruptionBudget ("namespace/name"). */
  stuck?: { ago: number; budget: string }
}

/** Many machines share the same conditions: one array for all that settled in the same hour. */
const shared = new Map<string, Condition[]>()

function conditionsOf(seeds: Seeds, m: MachineSeed): Condition[] {
  const since = seeds.at(Math.floor(m.age / HOUR) * HOUR)
  const id = [since, m.controlPlane, m.outdated].join('|')
  let conditions = shared.get(id)
  if (!conditions) {
    conditions = setConditions(undefined, settled(m.controlPlane === true, m.outdated), 3)
    for (const c of conditions) c.lastTransitionTime = since
    shared.set(id, conditions)
  }
  return conditions
}

const NODE_INFO = {
  architecture: '',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  machineID: '',
  operatingSystem: '',
  osImage: '',
  systemUUID: '',
}

export function addMachine(seeds: Seeds, m: MachineSeed): Machine {
  const { name, namespace, labels, age } = m
  const providerID = `in-memory://${name}`
  const group = (kind: string, apiGroup: string) => ({ apiGroup, kind, name })
  const since = seeds.at(age)
  const machine = seeds.add(N.MACHINES, {
    apiVersion: N.CORE,
    kind: 'Machine',
    name,
    namespace,
    age,
    generation: 3,
    labels,
    annotations: m.controlPlane ? { [N.ANNOTATION.kcpCleanup]: '' } : undefined,
    finalizers: ['machine.cluster.x-k8s.io'],
    owners: ownedBy(m.owner),
    deletedAgo: m.stuck?.ago,
    spec: json({
      bootstrap: { configRef: group('KubeadmConfig', 'bootstrap.cluster.x-k8s.io'), dataSecretName: name },
      clusterName: m.cluster,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
      failureDomain: m.failureDomain,
      infrastructureRef: group('DevMachine', 'infrastructure.cluster.x-k8s.io'),
      providerID,
      readinessGates: m.controlPlane ? COMPONENTS.map(([conditionType]) => ({ conditionType })) : undefined,
      version: m.version,
    }),
    status: {
      ...(m.controlPlane ? { certificatesExpiryDate: seeds.at(age - 365 * 24 * HOUR) } : {}),
      conditions: conditionsOf(seeds, m),
      ...(m.stuck ? { deletion: { nodeDrainStartTime: seeds.at(m.stuck.ago) } } : {}),
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      lastUpdated: since,
      nodeInfo: { ...NODE_INFO, kubeletVersion: m.version },
      nodeRef: { name },
      observedGeneration: 3,
      phase: m.stuck ? 'Deleting' : 'Running',
    },
  })
  const cloned = (template: SandboxObject) => ({
    [N.ANNOTATION.clonedFromName]: template.metadata.name,
    [N.ANNOTATION.clonedFromKind]: `${template.kind}.${template.apiVersion.split('/')[0]}`,
  })
  const ready = (types: string[]) => ({
    conditions: types.map((type) => ({
      type,
      status: 'True',
      reason: type === 'Ready' ? 'Ready' : 'Provisioned',
      message: '',
      lastTransitionTime: since,
      observedGeneration: 2,
    })),
  })
  const owned = { namespace, name, labels, age, owners: ownedBy(machine), generation: 2 }
  const hostSpec = (m.infrastructureTemplate.spec?.template as JsonObject).spec as JsonObject
  seeds.add(N.DEV_MACHINES, {
    ...owned,
    apiVersion: N.INFRASTRUCTURE,
    kind: 'DevMachine',
    annotations: {
      ...cloned(m.infrastructureTemplate),
      ...(m.stuck ? { [N.HOST.blockedByBudget]: m.stuck.budget } : {}),
    },
    finalizers: ['dockermachine.infrastructure.cluster.x-k8s.io'],
    spec: { ...hostSpec, providerID },
    status: { ...ready(['Ready', 'NodeProvisioned', 'VMProvisioned']), initialization: { provisioned: true } },
  })
  seeds.add(N.CONFIGS, {
    ...owned,
    apiVersion: N.BOOTSTRAP,
    kind: 'KubeadmConfig',
    annotations: m.bootstrap.template ? cloned(m.bootstrap.template) : undefined,
    spec: m.bootstrap.spec,
    status: {
      ...ready(['Ready']),
      dataSecretName: name,
      initialization: { dataSecretCreated: true },
      observedGeneration: 2,
    },
  })
  return machine as unknown as Machine
}
