import { imageInWords } from '@/lib/domain/boot-images/state'
import { CONFIG_DAEMON, FAILURE, NEVER_JOINED, troubleOf, unknownError, type ErrorFacts } from '@/lib/domain/errors'
import type { JsonObject } from '@/lib/domain/json'
import type { MachineRow } from '@/lib/domain/rows'
import { versionKey } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Rows } from '../rows'
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

export function machineRow(cluster: string, object: KubeObject, node: NodeFacts | undefined, now: number): Rows {
  const { labels = {}, annotations = {} } = object.metadata
  const controlPlane = labels['machine.openshift.io/cluster-api-machine-role'] === 'master'
  const machineSet = labels['machine.openshift.io/cluster-api-machineset'] ?? null
  const { unknown, ...life } = lifeOf(object, node, now)
  const machine: MachineRow = {
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
  const names = [machine.name, machine.node, machine.machineSet, machine.providerId]
  return { machine, ...(unknown ? { unknown: unknownError(unknown, names) } : {}) }
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
  | 'state'
  | 'severity'
  | 'sentence'
  | 'ready'
  | 'available'
  | 'updating'
  | 'deleting'
  | 'error'
  | 'trouble'
  | 'troubleWords'
> & { unknown: ErrorFacts | null }

/** After this long without a node, a machine whose instance runs is most likely stuck in its first boot. */
const JOIN_MINUTES = 20

const base: Omit<Life, 'state' | 'sentence'> = {
  severity: 0,
  ready: false,
  available: false,
  updating: false,
  deleting: false,
  error: null,
  trouble: null,
  troubleWords: null,
  unknown: null,
}

type Fault = Pick<ErrorFacts, 'condition' | 'reason' | 'message'>

/** What is stored of a fault, and what the sentence says of it: the catalogue's words, else the first line of its own. */
function faulty(object: KubeObject, fault: Fault, words: string, failing = true) {
  const infrastructure = text(object, 'spec', 'providerSpec', 'value', 'kind') ?? null
  const { instead, ...told } = troubleOf({ api: 'machine.openshift.io', infrastructure, ...fault }, failing)
  return { told, said: instead ? `${instead}.` : firstLine(words) }
}

function lifeOf(object: KubeObject, node: NodeFacts | undefined, now: number): Life {
  const phase = text(object, 'status', 'phase') ?? ''
  const [reason, message] = [text(object, 'status', 'errorReason'), text(object, 'status', 'errorMessage')]
  const error = [reason, message].filter(Boolean).join(': ') || null
  const failure: Fault = { condition: FAILURE, reason: reason ?? null, message: message ?? '' }
  const nodeName = text(object, 'status', 'nodeRef', 'name')
  const conditions = items(object, 'status', 'conditions')
  if (object.metadata.deletionTimestamp || phase === 'Deleting') {
    const drained = conditions.find((c) => c.type === 'Drained')
    const stuck = drained?.status === 'False' ? text(drained, 'message') : undefined
    const drain: Fault = { condition: 'Drained', reason: text(drained, 'reason') ?? null, message: stuck ?? '' }
    const fault = stuck
      ? faulty(object, drain, stuck, error !== null)
      : error
        ? faulty(object, failure, error)
        : undefined
    const sentence = stuck ? `Being deleted; its node is not drained yet: ${fault!.said}` : 'Being deleted.'
    const severity = stuck ? 50 : 20
    return { ...base, state: 'deleting', severity, sentence, deleting: true, error, ...fault?.told }
  }
  if (phase === 'Failed' || error) {
    const { told, said } = faulty(object, failure, error ?? '')
    const sentence = error ? `Failed: ${said}` : 'Failed, without a reason.'
    return { ...base, ...told, state: 'failed', severity: 90, sentence, error: error ?? 'Failed' }
  }
  if (!nodeName) return beforeNode(object, phase, now)
  if (!node)
    return { ...base, state: 'ready', sentence: 'Running.', ready: phase === 'Running', available: phase === 'Running' }
  if (node.configState === 'Degraded' || node.configState === 'Unreconcilable') {
    const written = node.configReason ?? 'no reason is given'
    const fault: Fault = { condition: CONFIG_DAEMON, reason: node.configState, message: node.configReason ?? '' }
    const { told, said } = faulty(object, fault, written)
    const sentence = `Its configuration could not be applied: ${said}`
    const error = node.configReason ?? node.configState
    return { ...base, ...told, state: 'failed', severity: 80, sentence, ready: node.ready, error }
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
  const error = 'Provisioned, without a node'
  const { told } = faulty(object, { condition: NEVER_JOINED, reason: null, message: error }, error)
  return {
    ...base,
    ...told,
    state: 'failed',
    severity: 85,
    sentence: 'Its instance runs but never joined the cluster: typical of a boot image that is too old.',
    error,
  }
}

const firstLine = (words: string): string => {
  const line = words.split('\n')[0] as string
  return line.length > 240 ? `${line.slice(0, 239)}…` : line
}
