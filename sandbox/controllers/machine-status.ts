import { timestamp } from './clock'
import { bullet, condition, conditionOf, indented, setConditions, type Wanted } from './conditions'
import { NOT_PAUSED, type Env } from './env'
import type { Infrastructure, Machine } from './kinds'
import { byControlPlane } from './members'
import { DEV_MACHINES, LABEL } from './names'
import { outdatedReasons } from './up-to-date'

export interface Updating {
  failed: boolean
  message: string
}

export interface Deleting {
  reason: string
  message: string
}

/** What kubelets report. The in-memory hosts know nothing else of themselves. */
const nodeInfo = (kubeletVersion: string) => ({
  architecture: '',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion,
  machineID: '',
  operatingSystem: '',
  osImage: '',
  systemUUID: '',
})

export function machineStatus(env: Env, machine: Machine, updating?: Updating, deleting?: Deleting) {
  const { namespace = '', name, generation } = machine.metadata
  const infrastructure = env.store.get(
    DEV_MACHINES,
    `${namespace}/${machine.spec.infrastructureRef.name}`,
  ) as unknown as Infrastructure | undefined
  const kubelet = env.nodes.kubelet(namespace, machine.spec.clusterName, name)
  const old = machine.status
  const bootstrapped = machine.spec.bootstrap.dataSecretName !== undefined
  const provisioned = infrastructure?.status?.initialization?.provisioned === true
  const joined = old?.nodeRef !== undefined || (kubelet !== undefined && machine.spec.providerID !== undefined)
  const controlPlane = machine.metadata.labels?.[LABEL.controlPlane] !== undefined

  const facts: Wanted[] = [
    bootstrapped
      ? condition('BootstrapConfigReady', true, 'Ready')
      : condition(
          'BootstrapConfigReady',
          false,
          'NotReady',
          'KubeadmConfig status.initialization.dataSecretCreated is false',
        ),
    provisioned
      ? condition('InfrastructureReady', true, 'Ready')
      : condition('InfrastructureReady', false, 'NotReady', infrastructureMessage(infrastructure)),
    ...node(machine, kubelet, joined, env.nodes.isSilent(namespace, machine.spec.clusterName, name)),
  ]
  const gates = controlPlane ? byControlPlane(env, machine, joined) : []
  const goings: Wanted[] = [
    updating
      ? condition('Updating', true, updating.failed ? 'InPlaceUpdateFailed' : 'InPlaceUpdating', updating.message)
      : condition('Updating', false, 'NotUpdating'),
    NOT_PAUSED,
    deleting
      ? condition('Deleting', true, deleting.reason, deleting.message)
      : condition('Deleting', false, 'NotDeleting'),
  ]
  const others = (old?.conditions ?? []).filter(({ type }) => OF_HEALTH_CHECKS.has(type)) as Wanted[]
  const checked = others.filter(({ type }) => type === 'HealthCheckSucceeded')
  const ready = readiness([...facts, ...checked, ...gates], updating, deletingSummary(machine, deleting))
  const wanted = [available(machine, ready), ready, ...upToDate(env, machine, updating, kubelet), ...facts, ...gates]
  const conditions = setConditions(old?.conditions, [...wanted, ...goings, ...others], generation)
  const phase = deleting
    ? 'Deleting'
    : updating
      ? 'Updating'
      : joined && provisioned
        ? 'Running'
        : early(machine, bootstrapped)
  return {
    ...(old?.certificatesExpiryDate || (controlPlane && joined)
      ? { certificatesExpiryDate: old?.certificatesExpiryDate ?? timestamp(Date.now() + 365 * 86_400_000) }
      : {}),
    conditions,
    ...(old?.deletion ? { deletion: old.deletion } : {}),
    initialization: {
      ...(bootstrapped ? { bootstrapDataSecretCreated: true } : {}),
      ...(provisioned ? { infrastructureProvisioned: true } : {}),
    },
    lastUpdated: old?.phase === phase && old.lastUpdated ? old.lastUpdated : timestamp(),
    ...(joined ? { nodeInfo: nodeInfo(kubelet ?? old?.nodeInfo?.kubeletVersion ?? ''), nodeRef: { name } } : {}),
    observedGeneration: generation,
    phase,
  }
}

/** Written by MachineHealthChecks, and left to them. */
const OF_HEALTH_CHECKS = new Set(['HealthCheckSucceeded', 'OwnerRemediated'])

const early = (machine: Machine, bootstrapped: boolean) =>
  !bootstrapped ? 'Pending' : machine.spec.providerID ? 'Provisioned' : 'Provisioning'

function node(machine: Machine, kubelet: string | undefined, joined: boolean, silent: boolean): Wanted[] {
  if (joined && silent) {
    const why = '* Node.Ready: Kubelet stopped posting node status.'
    return [condition('NodeHealthy', false, 'NodeNotHealthy', why), condition('NodeReady', false, 'NodeNotReady', why)]
  }
  if (joined && kubelet !== undefined) {
    return [condition('NodeHealthy', true, 'NodeHealthy'), condition('NodeReady', true, 'NodeReady')]
  }
  if (joined) {
    const gone = `Node ${machine.metadata.name} has been deleted`
    return [condition('NodeHealthy', false, 'NodeDeleted', gone), condition('NodeReady', false, 'NodeDeleted', gone)]
  }
  const waiting = machine.spec.providerID
    ? `Waiting for a Node with spec.providerID ${machine.spec.providerID} to exist`
    : `Waiting for ${machine.spec.infrastructureRef.kind} to report spec.providerID`
  return [
    condition('NodeHealthy', 'Unknown', 'InspectionFailed', waiting),
    condition('NodeReady', 'Unknown', 'InspectionFailed', waiting),
  ]
}

const infrastructureMessage = (infrastructure: Infrastructure | undefined) =>
  (['VMProvisioned', 'NodeProvisioned'] as const)
    .map((type) => conditionOf(infrastructure, type))
    .flatMap((c) => (c && c.status !== 'True' ? [`* ${c.type}: ${c.reason}`] : []))
    .join('\n') || 'DevMachine status.initialization.provisioned is false'

const FIFTEEN_MINUTES = 15 * 60_000

/** After a quarter of an hour the summary says where it hangs and what probably holds it. */
function deletingSummary(machine: Machine, deleting: Deleting | undefined) {
  if (!deleting) return undefined
  const long = Date.now() - Date.parse(machine.metadata.deletionTimestamp ?? '') > FIFTEEN_MINUTES
  const likely =
    long && deleting.message.includes('disruption budget') ? ', delay likely due to PodDisruptionBudgets' : ''
  return `Machine deletion in progress${long ? ' since more than 15m' : ''}, stage: ${deleting.reason}${likely}`
}

function readiness(facts: Wanted[], updating: Updating | undefined, deleting: string | undefined): Wanted {
  const lines = facts
    // NodeReady is part of NodeHealthy.
    .filter((c) => c.type !== 'NodeReady' && c.status !== 'True')
    .map((c) =>
      c.message?.startsWith('* ') ? `* ${c.type}:\n${indented(c.message)}` : `* ${c.type}: ${c.message || c.reason}`,
    )
  if (deleting) lines.unshift(`* Deleting: ${deleting}`)
  if (updating) lines.push(`* Updating: ${updating.message}`)
  return lines.length === 0
    ? condition('Ready', true, 'Ready')
    : condition('Ready', false, 'NotReady', lines.join('\n'))
}

function available(machine: Machine, ready: Wanted): Wanted {
  if (ready.status !== 'True') return condition('Available', false, 'NotReady')
  const before = conditionOf(machine, 'Ready')
  const since = before?.status === 'True' ? Date.parse(before.lastTransitionTime) : Date.now()
  return Date.now() - since >= (machine.spec.minReadySeconds ?? 0) * 1000
    ? condition('Available', true, 'Available')
    : condition('Available', false, 'WaitingForMinReadySeconds')
}

function upToDate(env: Env, machine: Machine, updating: Updating | undefined, kubelet: string | undefined): Wanted[] {
  const reasons = outdatedReasons(env, machine)
  if (!reasons) return []
  if (reasons.length > 0) return [condition('UpToDate', false, 'NotUpToDate', reasons.map(bullet).join('\n'))]
  if (updating) return [condition('UpToDate', false, 'Updating', `* ${updating.message}`)]
  const { version } = machine.spec
  if (version && kubelet !== undefined && kubelet !== version) {
    const message = `* Node.status.nodeInfo.kubeletVersion ${kubelet}, ${version} required`
    return [condition('UpToDate', false, 'Updating', message)]
  }
  return [condition('UpToDate', true, 'UpToDate')]
}
