import { imageInWords } from '@/lib/domain/boot-images/state'
import { versionInName } from '@/lib/domain/boot-images/version-in-name'
import { withoutSecrets } from '@/lib/domain/changes/secrets'
import { unknownError } from '@/lib/domain/errors'
import type { JsonObject } from '@/lib/domain/json'
import type { MachineRow } from '@/lib/domain/rows'
import { versionKey } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Rows } from '../rows'
import { imageName } from './image-name'
import { isJoining, joiningSaid, joiningSince } from './joining'
import { lifeOf } from './life'
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
    configReason: withoutSecrets(a[`${PREFIX}reason`] ?? '') || null,
    updating: current !== undefined && desired !== undefined && current !== desired,
    draining: drain.startsWith('drain') && drain !== a[`${PREFIX}lastAppliedDrain`],
  }
}

/** `seen`: when it was first seen with an instance and without a node, where that was before now; in ms like `now`. */
export function machineRow(
  cluster: string,
  object: KubeObject,
  node: NodeFacts | undefined,
  now: number,
  seen = now,
): Rows {
  const { labels = {}, annotations = {} } = object.metadata
  const controlPlane = labels['machine.openshift.io/cluster-api-machine-role'] === 'master'
  const machineSet = labels['machine.openshift.io/cluster-api-machineset'] ?? null
  const since = isJoining(object) ? joiningSince(object, seen) : null
  const { unknown, ...life } = lifeOf(object, node, now, since)
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
    // What never became a node is not up to date; of what did, its pool knows.
    upToDate: life.state === 'failed' && !node && !text(object, 'status', 'nodeRef', 'name') ? false : null,
    deletingSince: object.metadata.deletionTimestamp ?? null,
    ...NOT_CHECKED,
    notReadySince: null,
    deleteMarked: DELETE_MARKS.some((mark) => annotations[mark]),
    unhealthy: false,
    plane: null,
    ...bootImageOfMachine(object),
    provisionedSince: since === null ? null : new Date(since),
    joining: since === null ? null : joiningSaid(object),
    providerId: text(object, 'spec', 'providerID') ?? null,
    resourceVersion: object.metadata.resourceVersion,
    createdAt: new Date(object.metadata.creationTimestamp),
  }
  const names = [machine.name, machine.node, machine.machineSet, machine.providerId]
  return { machine, ...(unknown ? { unknown: unknownError(unknown, names) } : {}) }
}

/** Either makes it the first to go when its set gets smaller, with any value that is not empty (machine-api-operator, delete_policy.go). */
const DELETE_MARKS = ['machine.openshift.io/delete-machine', 'machine.openshift.io/cluster-api-delete-machine']

/** Its health checks are not Cluster API's. */
const NOT_CHECKED = {
  ...{ checkFailedSince: null, checkWords: null, remediationReason: null, remediationWords: null },
  ...{ skipRemediation: false, skipMark: null, labels: null, amiss: null },
}

const PLATFORM_OF_KIND: Record<string, string> = {
  AWSMachineProviderConfig: 'AWS',
  GCPMachineProviderSpec: 'GCP',
  AzureMachineProviderSpec: 'Azure',
  VSphereMachineProviderSpec: 'VSphere',
  BareMetalMachineProviderSpec: 'BareMetal',
}

function bootImageOfMachine(object: KubeObject): Pick<MachineRow, 'bootImage' | 'bootImageVersion'> {
  const spec = at(object, 'spec', 'providerSpec', 'value')
  const platform = PLATFORM_OF_KIND[text(spec, 'kind') ?? ''] ?? ''
  const image = imageInWords(spec as JsonObject, platform)
  return { bootImage: image && imageName(image), bootImageVersion: versionInName(image, platform) }
}
