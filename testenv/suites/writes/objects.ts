import type { Json, JsonObject } from '@/lib/domain/json'
import type { Resource } from '@/lib/kubernetes/types'
import { KCP, MD } from '../watching'

export { KCP, MD }
export const EXTENSION: Resource = {
  group: 'runtime.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'extensionconfigs',
}

export const machineSpec: JsonObject = {
  clusterName: 'c1',
  version: 'v1.34.0',
  bootstrap: { dataSecretName: 'boot' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachineTemplate', name: 'small' },
}

/** Valid objects that no manager moves: their cluster does not exist. */
export const MACHINE_DEPLOYMENT: JsonObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'md' },
  spec: { clusterName: 'c1', replicas: 2, selector: {}, template: { spec: machineSpec } },
}

export const CONTROL_PLANE: JsonObject = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'cp' },
  spec: {
    replicas: 3,
    version: 'v1.34.0',
    kubeadmConfigSpec: { clusterConfiguration: { apiServer: { certSANs: ['localhost'] } } },
    machineTemplate: { spec: { infrastructureRef: machineSpec.infrastructureRef! } },
  },
}

export const EXTENSION_CONFIG: JsonObject = {
  apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
  kind: 'ExtensionConfig',
  metadata: { name: 'suite' },
  spec: { clientConfig: { url: 'https://127.0.0.1:9' } },
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The base with what differs: null takes a field away. */
export function differing(base: Json | undefined, more: Json): Json {
  if (!isObject(more)) return more
  const out: JsonObject = isObject(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(more)) {
    if (value === null) delete out[key]
    else out[key] = differing(out[key], value)
  }
  return out
}
