import type { Arch } from '@/lib/domain/boot-images/stream'
import type { KubeObject } from '@/lib/kubernetes/types'
import { planeArch } from '@/lib/providers/openshift/plane-arch'
import type { SkewObjects } from '@/lib/providers/openshift/skew-objects'
import { silenceOf } from '../silence'
import type { ClusterView } from '../types'

export const SKEW_RESOURCES = [
  'machineconfigurations.operator.openshift.io',
  'machinesets.machine.openshift.io',
  'controlplanemachinesets.machine.openshift.io',
  'configmaps',
  'clusterversions.config.openshift.io',
  'infrastructures.config.openshift.io',
  'clusteroperators.config.openshift.io',
  'nodes',
  'provisionings.metal3.io',
] as const

export const PLANES = 'controlplanemachinesets.machine.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const PROVISIONINGS = 'provisionings.metal3.io'
const PROVISIONING = 'provisioning-configuration'
/** As it is watched: of all config maps this one. */
export const MAP = 'configmaps/coreos-bootimages'
const STREAMS = 'openshift-machine-config-operator/coreos-bootimages'

/** Whether a change can matter: other names of these kinds are accepted by the API and ignored by the operator. Of nodes, only which is the oldest does, and the architecture of the control plane's. */
export function matters(resource: string, key: string): boolean {
  if (resource === 'machineconfigurations.operator.openshift.io') return key === 'cluster'
  if (resource === 'configmaps') return key === STREAMS
  if (resource === 'clusteroperators.config.openshift.io') return key === 'machine-config'
  if (resource === 'nodes') return false
  if (resource === PROVISIONINGS) return key === PROVISIONING
  return (SKEW_RESOURCES as readonly string[]).includes(resource)
}

/** Its operator watches sets of no other namespace, and nothing makes machines of them there. */
const isMachineApi = ({ metadata }: KubeObject): boolean => metadata.namespace === 'openshift-machine-api'

/** The objects of one cluster that boot images rest on, out of the watch cache. */
export function skewObjects(view: ClusterView): SkewObjects {
  const all = (resource: string): KubeObject[] => [...view.objects(resource).values()]
  const one = (resource: string, key: string): KubeObject | undefined => view.objects(resource).get(key)
  return {
    machineConfiguration: one('machineconfigurations.operator.openshift.io', 'cluster'),
    machineSets: all('machinesets.machine.openshift.io').filter(isMachineApi),
    controlPlanes: all(PLANES).filter(isMachineApi),
    configMap: one('configmaps', STREAMS),
    mapUnread: isUnlisted(view, MAP, one('configmaps', STREAMS) !== undefined),
    clusterVersion: one('clusterversions.config.openshift.io', 'version'),
    infrastructure: one('infrastructures.config.openshift.io', 'cluster'),
    operator: isOperatorSilent(view) ? undefined : one(OPERATORS, 'machine-config'),
    controlPlaneArch: archOfPlane(view),
    oldestNode: view.oldestNode?.() ?? null,
    oldestMachines: view.oldestMachines?.() ?? new Map(),
    provisioning: readable(view, PROVISIONINGS) ? (one(PROVISIONINGS, PROVISIONING) ?? null) : undefined,
  }
}

/** It is listed later than what is waited for, or cannot be: that nothing of it is there says nothing. */
export const isUnlisted = (view: ClusterView, stream: string, isThere: boolean): boolean =>
  !isThere && ['open', 'refused'].includes(view.heard?.(stream) ?? 'listed')

/** What the ClusterOperator said before is no word of now. */
export const isOperatorSilent = (view: ClusterView): boolean =>
  silenceOf(view, { [OPERATORS]: '' }, true).unheard !== null

/** Of a few of its nodes, as often as one changes. */
export const archOfPlane = (view: ClusterView): Arch | null =>
  planeArch(view.objects('nodes').values(), view.objects('clusterversions.config.openshift.io').get('version'))

/** Served, and Drydock may read it: then one that is not there is known not to be. */
const readable = ({ capabilities }: ClusterView, resource: string): boolean =>
  resource in capabilities.resources &&
  !capabilities.missingPermissions.some(({ group, resource: plural }) => `${plural}.${group}` === resource)
