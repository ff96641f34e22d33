import type { JsonObject } from '../../../lib/domain/json'
import type { KubeObject } from '../../../lib/kubernetes/types'
import type { SandboxObject, Store, WriteAs } from '../../types'

export const R = {
  configuration: 'machineconfigurations.operator.openshift.io',
  clusterVersions: 'clusterversions.config.openshift.io',
  operators: 'clusteroperators.config.openshift.io',
  infrastructures: 'infrastructures.config.openshift.io',
  machines: 'machines.machine.openshift.io',
  machineSets: 'machinesets.machine.openshift.io',
  controlPlanes: 'controlplanemachinesets.machine.openshift.io',
  pools: 'machineconfigpools.machineconfiguration.openshift.io',
  configNodes: 'machineconfignodes.machineconfiguration.openshift.io',
  configs: 'machineconfigs.machineconfiguration.openshift.io',
  osConfigs: 'machineosconfigs.machineconfiguration.openshift.io',
  provisionings: 'provisionings.metal3.io',
  nodes: 'nodes',
  configMaps: 'configmaps',
} as const

export const STREAMS = 'openshift-machine-config-operator/coreos-bootimages'

const account = (namespace: string, name: string): WriteAs => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  fieldManager: name,
})

export const AS = {
  operator: account('openshift-machine-config-operator', 'machine-config-operator'),
  controller: account('openshift-machine-config-operator', 'machine-config-controller'),
  daemon: account('openshift-machine-config-operator', 'machine-config-daemon'),
  machines: account('openshift-machine-api', 'machine-api-controllers'),
  version: account('openshift-cluster-version', 'cluster-version-operator'),
} as const

export interface Env {
  store: Store
  /** Simulated seconds to wait; false once everything is being stopped. */
  sleep(seconds: number): Promise<boolean>
  stopped(): boolean
}

/** The readers of lib/providers take what an API server returns; the store's objects are that. */
export const kube = (object: SandboxObject): KubeObject => object as unknown as KubeObject

export const one = (env: Env, resource: string, key: string): KubeObject | undefined => {
  const found = env.store.get(resource, key)
  return found && kube(found)
}

export const all = (env: Env, resource: string): KubeObject[] => env.store.list(resource).map(kube)

export const timestamp = (ms = Date.now()): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

export interface Wanted {
  type: string
  status: string
  reason: string
  message: string
}

/** Conditions with some replaced; the time moves with every change, also of words alone. Null: nothing changes. */
export function conditionsWith(object: KubeObject, wanted: Wanted[]): JsonObject[] | null {
  const before = (object.status?.conditions ?? []) as JsonObject[]
  const list = before.map((c) => ({ ...c }))
  let changed = false
  for (const want of wanted) {
    const at = list.findIndex((c) => c.type === want.type)
    const same =
      at >= 0 && ['status', 'reason', 'message'].every((k) => (list[at]?.[k] ?? '') === want[k as keyof Wanted])
    if (same) continue
    changed = true
    const next: JsonObject = { ...want, lastTransitionTime: timestamp() }
    if (at >= 0) list[at] = next
    else list.push(next)
  }
  return changed ? list : null
}
