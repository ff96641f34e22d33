import type { JsonObject } from '../../lib/domain/json'

const map = (value: unknown) => (value ?? {}) as JsonObject

/** As the control plane provider writes it for a machine that joins, or for the one that initializes. */
export function kubeadmConfigFor(spec: JsonObject | undefined, initial: boolean): JsonObject {
  const { initConfiguration, joinConfiguration, ...rest } = map(spec)
  const cluster = map(rest.clusterConfiguration)
  const common = {
    ...rest,
    clusterConfiguration: {
      ...cluster,
      featureGates: { ControlPlaneKubeletLocalMode: true, ...map(cluster.featureGates) },
    },
    format: rest.format ?? 'cloud-config',
  }
  return initial
    ? { ...common, initConfiguration: initConfiguration ?? {} }
    : { ...common, joinConfiguration: { ...map(joinConfiguration), controlPlane: {} } }
}

/** Canonical text of what counts when a control plane machine's kubeadm config is compared. */
export function comparedKubeadm(spec: JsonObject | undefined): string {
  const { initConfiguration, joinConfiguration, clusterConfiguration, format, ...rest } = map(spec)
  const { controlPlaneEndpoint: _e, dns: _d, featureGates, ...cluster } = map(clusterConfiguration)
  const { ControlPlaneKubeletLocalMode: _mode, ...gates } = map(featureGates)
  const { discovery: _discovery, controlPlane: _controlPlane, ...join } = map(joinConfiguration)
  const registration = Object.keys(join).length > 0 ? join : map(initConfiguration)
  return canonical({
    ...rest,
    ...(format === undefined || format === 'cloud-config' ? {} : { format }),
    clusterConfiguration: { ...cluster, featureGates: gates },
    joinConfiguration: registration,
  })
}

/** Keys sorted, empty maps left out: absent and empty are the same here. */
function canonical(value: unknown): string {
  return JSON.stringify(normal(value))
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, normal(inner)] as const)
    .filter(
      ([, inner]) =>
        !(typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.keys(inner).length === 0),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}
