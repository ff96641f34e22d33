import type { Json, JsonObject } from '../json'
import { isObject, pruned, valueAt } from './canonical'

/** One revision as Cluster API compares it: three specs, of templates (workers) or of live objects (control planes). */
export interface Revision {
  machine: JsonObject
  infrastructure?: JsonObject
  bootstrap?: JsonObject
}

/** The part of a Machine's spec, or of a MachineSet's template, that can make it outdated. */
export function machinePart(spec: JsonObject): JsonObject {
  const ref = (...path: string[]) => {
    const at = valueAt(spec, ...path)
    return isObject(at) ? { group: groupOf(at), kind: at.kind ?? null, name: at.name ?? null } : undefined
  }
  return (pruned({
    version: spec.version ?? null,
    failureDomain: spec.failureDomain ?? null,
    infrastructureRef: ref('infrastructureRef') ?? null,
    bootstrap: {
      configRef: ref('bootstrap', 'configRef') ?? null,
      dataSecretName: valueAt(spec, 'bootstrap', 'dataSecretName') ?? null,
    },
  }) ?? {}) as JsonObject
}

/** Cluster API compares references whole, but for their API version: v1beta2 names the group, v1beta1 has it in apiVersion. */
function groupOf({ apiGroup, apiVersion }: JsonObject): string {
  if (typeof apiGroup === 'string') return apiGroup
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
}

/** An infrastructure spec without what the provider wrote into the live object. */
export function infrastructurePart(spec: JsonObject): JsonObject {
  const { providerID: _providerID, ...rest } = spec
  return (pruned(rest) ?? {}) as JsonObject
}

// What survives when the first control plane machine's init form is read as a join form.
const INIT_TO_JOIN = ['nodeRegistration', 'patches', 'skipPhases', 'timeouts']

/** A bootstrap spec in the one form in which machines that initialised and machines that joined can be compared. */
export function bootstrapPart(spec: JsonObject): JsonObject {
  const { initConfiguration, joinConfiguration, format, clusterConfiguration, ...rest } = structuredClone(
    spec,
  ) as Record<string, Json | undefined>
  const init = isObject(initConfiguration) ? initConfiguration : undefined
  const fromInit = init && {
    ...Object.fromEntries(Object.entries(init).filter(([key]) => INIT_TO_JOIN.includes(key))),
    controlPlane: { localAPIEndpoint: init.localAPIEndpoint ?? null },
  }
  const join = isObject(joinConfiguration) ? joinConfiguration : (fromInit ?? {})
  const { discovery: _discovery, controlPlane, ...joined } = join as Record<string, Json | undefined>
  const endpoint = isObject(controlPlane) ? { ...controlPlane } : {}
  const timeouts = joined.timeouts
  if (isObject(timeouts)) delete timeouts.controlPlaneComponentHealthCheckSeconds
  const registration = joined.nodeRegistration
  if (isObject(registration)) {
    if (registration.imagePullPolicy === 'IfNotPresent') delete registration.imagePullPolicy
    if (registration.imagePullSerial === true) delete registration.imagePullSerial
  }
  const cluster = isObject(clusterConfiguration) ? clusterConfiguration : {}
  delete cluster.dns
  delete cluster.controlPlaneEndpoint
  // Added by the control plane controller itself between Kubernetes 1.31 and 1.35.
  if (isObject(cluster.featureGates) && cluster.featureGates.ControlPlaneKubeletLocalMode === true)
    delete cluster.featureGates.ControlPlaneKubeletLocalMode
  return (pruned({
    ...(rest as JsonObject),
    ...(format === 'cloud-config' || format === undefined ? {} : { format }),
    clusterConfiguration: cluster,
    joinConfiguration: { ...(joined as JsonObject), controlPlane: endpoint },
  }) ?? {}) as JsonObject
}

const PARTS = { machine: machinePart, infrastructure: infrastructurePart, bootstrap: bootstrapPart }

/** One of the three as it is compared; undefined: not compared. */
export function partOf(revision: Revision, object: keyof typeof PARTS): JsonObject | undefined {
  const spec = revision[object]
  return spec && PARTS[object](spec)
}
