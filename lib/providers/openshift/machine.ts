import { imageInWords } from '@/lib/domain/boot-images/state'
import type { JsonObject } from '@/lib/domain/json'
import type { MachineRow } from '@/lib/domain/rows'
import { versionKey } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, items, text } from './loose'

/** What a Node tells about a machine; the projector passes it where it has seen the node. */
export interface NodeFacts {
  name: string
  kubelet: string | null
  osImage: string | null
  ready: boolean
  schedulable: boolean
  /** machineconfiguration.openshift.io annotations */
  configState: string | null
  configReason: string | null
  updating: boolean
  draining: boolean
}

const PREFIX = 'machineconfiguration.openshift.io/'

/** Facts of a Node, with the Machine Config Operator's annotations. */
export function readNode(node: KubeObject): NodeFacts & { machine: string | null } {
  const a = node.metadata.annotations ?? {}
  const [current, desired] = [a[`${PREFIX}currentConfig`], a[`${PREFIX}desiredConfig`]]
  const drain = a[`${PREFIX}desiredDrain`] ?? ''
  return {
    name: node.metadata.name,
    machine: a['machine.openshift.io/machine'] ?? null,
    kubelet: text(node, 'status', 'nodeInfo', 'kubeletVersion') ?? null,
    osImage: text(node, 'status', 'nodeInfo', 'osImage') ?? null,
    ready: items(node, 'status', 'conditions').some((c) => c.type === 'Ready' && c.status === 'True'),
    schedulable: at(node, 'spec', 'unschedulable') !== true,
    configState: a[`${PREFIX}state`] ?? null,
    configReason: a[`${PREFIX}reason`] || null,
    updating: current !== undefined && desired !== undefined && current !== desired,
    draining: drain.startsWith('drain') && drain !== a[`${PREFIX}lastAppliedDrain`],
  }
}

export function machineRow(cluster: string, object: KubeObject, node: NodeFacts | undefined, now: number): MachineRow {
  const { labels = {}, annotations = {} } = object.metadata
  const controlPlane = labels['machine.openshift.io/cluster-api-machine-role'] === 'master'
  const machineSet = labels['machine.openshift.io/cluster-api-machineset'] ?? null
  const life = lifeOf(object, node, now)
  return {
    id: object.metadata.uid,
    provider: 'machine.openshift.io',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    workloadCluster: cluster,
    groupKind: machineSet ? 'MachineSet' : controlPlane ? 'ControlPlaneMachineSet' : null,
    groupName: machineSet ?? (controlPlane ? 'cluster' : null),
    machineSet,
    controlPlane,
    node: text(object, 'status', 'nodeRef', 'name') ?? null,
    version: node?.kubelet ?? null,
    versionKey: versionKey(node?.kubelet ?? null),
    phase:
      text(object, 'status', 'phase') ?? (annotations['machine.openshift.io/instance-state'] ? 'Provisioning' : ''),
    failureDomain: labels['machine.openshift.io/zone'] ?? null,
    ...life,
    upToDate: null,
    deleteMarked: 'machine.openshift.io/delete-machine' in annotations,
    unhealthy: false,
    bootImage: bootImageOfMachine(object),
    providerId: text(object, 'spec', 'providerID') ?? null,
    resourceVersion: object.metadata.resourceVersion,
    createdAt: new Date(object.metadata.creationTimestamp),
  }
}

const PLATFORM_OF_KIND: Record<string, string> = {
  AWSMachineProviderConfig: 'AWS',
  GCPMachineProviderSpec: 'GCP',
  AzureMachineProviderSpec: 'Azure',
  VSphereMachineProviderSpec: 'VSphere',
}

function bootImageOfMachine(object: KubeObject): string | null {
  const spec = at(object, 'spec', 'providerSpec', 'value')
  return imageInWords(spec as JsonObject, PLATFORM_OF_KIND[text(spec, 'kind') ?? ''] ?? '')
}

type Life = Pick<
  MachineRow,
  'state' | 'severity' | 'sentence' | 'ready' | 'available' | 'updating' | 'deleting' | 'error'
>

/** After this long without a node, a machine whose instance runs is most likely stuck in its first boot. */
const JOIN_MINUTES = 20

const base: Omit<Life, 'state' | 'sentence'> = {
  severity: 0,
  ready: false,
  available: false,
  updating: false,
  deleting: false,
  error: null,
}

function lifeOf(object: KubeObject, node: NodeFacts | undefined, now: number): Life {
  const phase = text(object, 'status', 'phase') ?? ''
  const error =
    [text(object, 'status', 'errorReason'), text(object, 'status', 'errorMessage')].filter(Boolean).join(': ') || null
  const nodeName = text(object, 'status', 'nodeRef', 'name')
  const conditions = items(object, 'status', 'conditions')
  if (object.metadata.deletionTimestamp || phase === 'Deleting') {
    const drained = conditions.find((c) => c.type === 'Drained')
    const stuck = drained?.status === 'False' ? text(drained, 'message') : undefined
    const sentence = stuck ? `Being deleted; its node is not drained yet: ${firstLine(stuck)}` : 'Being deleted.'
    return { ...base, state: 'deleting', severity: stuck ? 50 : 20, sentence, deleting: true, error }
  }
  if (phase === 'Failed' || error)
    return {
      ...base,
      state: 'failed',
      severity: 90,
      sentence: error ? `Failed: ${firstLine(error)}` : 'Failed, without a reason.',
      error: error ?? 'Failed',
    }
  if (!nodeName) return beforeNode(object, phase, now)
  if (!node)
    return { ...base, state: 'ready', sentence: 'Running.', ready: phase === 'Running', available: phase === 'Running' }
  if (node.configState === 'Degraded' || node.configState === 'Unreconcilable')
    return {
      ...base,
      state: 'failed',
      severity: 80,
      sentence: `Its configuration could not be applied: ${firstLine(node.configReason ?? 'no reason is given')}`,
      ready: node.ready,
      error: node.configReason ?? node.configState,
    }
  if (node.updating || node.draining || node.configState === 'Rebooting') {
    const step =
      node.configState === 'Rebooting'
        ? 'rebooting'
        : node.draining
          ? 'draining its node'
          : 'applying its configuration'
    return {
      ...base,
      state: 'updating',
      severity: 30,
      sentence: `Updating in place: ${step}.`,
      ready: node.ready,
      updating: true,
    }
  }
  if (!node.ready) return { ...base, state: 'not-ready', severity: 60, sentence: `Its node ${node.name} is not Ready.` }
  if (!node.schedulable)
    return { ...base, state: 'not-ready', severity: 40, sentence: `Its node ${node.name} is cordoned.`, ready: true }
  return { ...base, state: 'ready', sentence: 'Running, its node is Ready.', ready: true, available: true }
}

/** No node yet. A running instance that never joins leaves no error anywhere: this is what an old boot image looks like. */
function beforeNode(object: KubeObject, phase: string, now: number): Life {
  const since = Date.parse(text(object, 'status', 'lastUpdated') ?? object.metadata.creationTimestamp)
  const minutes = Math.max(0, Math.floor((now - since) / 60_000))
  if (phase !== 'Provisioned')
    return { ...base, state: 'provisioning', severity: 10, sentence: 'Waiting for its instance.' }
  if (minutes < JOIN_MINUTES)
    return {
      ...base,
      state: 'provisioning',
      severity: 10,
      sentence: 'Its instance runs; waiting for it to join as a node.',
    }
  return {
    ...base,
    state: 'failed',
    severity: 85,
    sentence: 'Its instance runs but never joined the cluster: typical of a boot image that is too old.',
    error: 'Provisioned, without a node',
  }
}

const firstLine = (words: string): string => {
  const line = words.split('\n')[0] as string
  return line.length > 240 ? `${line.slice(0, 239)}…` : line
}
