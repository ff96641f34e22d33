import type { JsonObject } from '../json'
import { manageAllSets, skewStanza } from '../skew/patch'
import type { Managers, VersionKind } from '../skew/types'
import { ackPatch } from './gates'
import type { Override, Patch } from './types'

const CONFIGURATION = {
  object: 'machineconfigurations.operator.openshift.io/cluster',
  path: '/apis/operator.openshift.io/v1/machineconfigurations/cluster',
}

/** A merge patch replaces the list whole: entries for other resources are named again. */
export function managersPatch(current: Managers, mode: 'All' | 'None'): Patch {
  const machineManagers = manageAllSets(current).map((m) =>
    m.resource === 'machinesets' ? { ...m, selection: { mode } } : m,
  ) as unknown as JsonObject[]
  return { ...CONFIGURATION, body: { spec: { managedBootImages: { machineManagers } } } }
}

/** Opts out of everything, in every release; before 4.19 the only way. */
export const noManagersPatch = (): Patch => ({
  ...CONFIGURATION,
  body: { spec: { managedBootImages: { machineManagers: [] } } },
})

export const acknowledgePatch = (versionKind: VersionKind, version: string): Patch => ({
  ...CONFIGURATION,
  body: { spec: { bootImageSkewEnforcement: skewStanza({ action: 'acknowledge', versionKind, version }) } },
})

/** Of a gate, under its own name. */
export const ackGatePatch = (name: string): Patch => ({
  object: 'configmaps/admin-acks',
  namespace: 'openshift-config',
  path: '/api/v1/namespaces/openshift-config/configmaps/admin-acks',
  body: ackPatch(name, true),
})

/** What is left of the overrides when those that take objects from the operator are gone. */
export function overridesPatch(overrides: readonly Override[]): Patch {
  const left = overrides.filter((o) => !o.unmanaged) as unknown as JsonObject[]
  return {
    object: 'clusterversions.config.openshift.io/version',
    path: '/apis/config.openshift.io/v1/clusterversions/version',
    body: { spec: { overrides: left.length > 0 ? left : null } },
  }
}

/** Resources of operator.openshift.io that configure an operator, by its ClusterOperator's name. */
const CONFIGURED_BY: Record<string, string> = {
  authentication: 'authentications',
  console: 'consoles',
  'config-operator': 'configs',
  'csi-snapshot-controller': 'csisnapshotcontrollers',
  etcd: 'etcds',
  'kube-apiserver': 'kubeapiservers',
  'kube-controller-manager': 'kubecontrollermanagers',
  'kube-scheduler': 'kubeschedulers',
  'openshift-apiserver': 'openshiftapiservers',
  'openshift-controller-manager': 'openshiftcontrollermanagers',
  'service-ca': 'servicecas',
  storage: 'storages',
}

export function operatorConfig(operator: string, body: JsonObject): Patch | undefined {
  const plural = CONFIGURED_BY[operator] ?? (operator === 'cloud-credential' ? 'cloudcredentials' : undefined)
  if (!plural) return undefined
  return {
    object: `${plural}.operator.openshift.io/cluster`,
    path: `/apis/operator.openshift.io/v1/${plural}/cluster`,
    body,
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same patch for a command line. */
export const asCommand = ({ object, namespace, body }: Patch): string =>
  `oc patch ${object}${namespace ? ` -n ${namespace}` : ''} --type=merge -p ${quoted(JSON.stringify(body))}`
