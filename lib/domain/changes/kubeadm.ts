import type { Json, JsonObject } from '../json'
import { canonical, isObject, pruned, same, valueAt } from './canonical'

// What the first control plane machine's init form gives to the join form that it is read as.
const INIT_TO_JOIN = ['nodeRegistration', 'patches', 'skipPhases', 'timeouts']

/** Whether a KubeadmConfig is the first control plane machine's (filters.go, isKubeadmConfigForInit). */
const isForInit = (config: JsonObject): boolean => !isObject(valueAt(config, 'joinConfiguration', 'controlPlane'))

/** An init form, read as a join form: timeouts beside it are a trace of conversion and do not count (filters.go). */
function joinedFrom(init: Json | undefined): Record<string, Json | undefined> {
  const from: Record<string, Json | undefined> = isObject(init) ? init : {}
  return {
    ...Object.fromEntries(Object.entries(from).filter(([key]) => INIT_TO_JOIN.includes(key))),
    controlPlane: from.localAPIEndpoint === undefined ? {} : { localAPIEndpoint: from.localAPIEndpoint },
  }
}

/**
 * The config of a control plane machine in the one form in which machines that initialised and machines that joined can
 * be compared (filters.go, PrepareKubeadmConfigsForDiff). No taints are not the same as taints that are not set.
 */
export function bootstrapPart(spec: JsonObject): JsonObject {
  const { initConfiguration, joinConfiguration, format, clusterConfiguration, ...rest } = structuredClone(
    spec,
  ) as Record<string, Json | undefined>
  const join = isForInit(spec) ? joinedFrom(initConfiguration) : (joinConfiguration as Record<string, Json | undefined>)
  const { discovery: _discovery, ...joined } = join
  const { timeouts, nodeRegistration: registration } = joined
  if (isObject(timeouts)) delete timeouts.controlPlaneComponentHealthCheckSeconds
  if (isObject(registration) && registration.imagePullPolicy === 'IfNotPresent') delete registration.imagePullPolicy
  const cluster = isObject(clusterConfiguration) ? clusterConfiguration : {}
  delete cluster.dns
  delete cluster.controlPlaneEndpoint
  const part = {
    ...(rest as JsonObject),
    ...(format === 'cloud-config' || format === undefined ? {} : { format }),
    clusterConfiguration: cluster,
  }
  const { controlPlane, ...others } = (pruned(joined as JsonObject, ['taints']) ?? {}) as JsonObject
  // What tells it from an init form stays, also when nothing is in it.
  return { ...((pruned(part) ?? {}) as JsonObject), joinConfiguration: { ...others, controlPlane: controlPlane ?? {} } }
}

/** Below each form, what the bootstrap provider fills in when the machine joins, where nobody wrote it. */
const FILLED: readonly [path: string[], keys: string[]][] = [
  [
    ['discovery', 'bootstrapToken'],
    ['token', 'caCertHashes', 'apiServerEndpoint'],
  ],
  [
    ['discovery', 'file', 'kubeConfig', 'cluster'],
    ['server', 'certificateAuthorityData'],
  ],
]
const FORMS = ['initConfiguration', 'joinConfiguration']

/** The config of a worker, without what the bootstrap provider fills in when the machine joins. */
export function workerConfig(spec: JsonObject): string {
  const { format, ...config } = structuredClone(spec)
  for (const key of FORMS) {
    const form = config[key]
    if (!isObject(form)) continue
    for (const [path, filled] of FILLED) {
      const at = valueAt(form, ...path)
      if (isObject(at)) for (const one of filled) delete at[one]
    }
    const exec = valueAt(form, 'discovery', 'file', 'kubeConfig', 'user', 'exec')
    if (isObject(exec) && exec.apiVersion === 'client.authentication.k8s.io/v1') delete exec.apiVersion
    const registration = form.nodeRegistration
    // Defaults of older versions, which stay in configs that they made (ApplyPreviousKubeadmConfigDefaults).
    if (isObject(registration) && registration.imagePullPolicy === 'IfNotPresent') delete registration.imagePullPolicy
  }
  return canonical(pruned({ ...config, ...(format === 'cloud-config' ? {} : { format: format ?? null }) }, ['taints']))
}

/** Of a template, what stands there of that already: where its machines join, and whom they trust. Null: nothing does. */
export function filledConfig(spec: JsonObject): string | null {
  const written = FORMS.flatMap((form) =>
    FILLED.flatMap(([path, keys]) =>
      keys.flatMap((key) => {
        const value = valueAt(spec, form, ...path, key)
        return value === undefined ? [] : [[[form, ...path, key].join('.'), value] as Json]
      }),
    ),
  )
  return written.length > 0 ? canonical(written) : null
}

const LOCAL_MODE = 'ControlPlaneKubeletLocalMode'

/**
 * What the control plane wants of a machine that joins: its feature gate for Kubernetes 1.31 to 1.35 is set, and it is
 * marked as a control plane's (desired_state.go, ComputeDesiredKubeadmConfig and DefaultFeatureGates).
 */
export function joinForm(config: JsonObject, version: string | null): JsonObject {
  const { initConfiguration: _init, ...rest } = config
  const join = valueAt(config, 'joinConfiguration')
  const endpoint = valueAt(join, 'controlPlane')
  const joinConfiguration = {
    ...(isObject(join) ? join : {}),
    controlPlane: isObject(endpoint) ? endpoint : {},
  }
  return { ...rest, ...gated(config, version), joinConfiguration }
}

/** The same of the first machine. */
export function initForm(config: JsonObject, version: string | null): JsonObject {
  const { joinConfiguration: _join, ...rest } = config
  return { ...rest, ...gated(config, version) }
}

function gated(config: JsonObject, version: string | null): JsonObject {
  const minor = Number(/^v?1\.(\d+)/.exec(version ?? '')?.[1])
  const cluster = valueAt(config, 'clusterConfiguration')
  const gates = valueAt(cluster, 'featureGates')
  if (!(minor >= 31 && minor < 36) || (isObject(gates) && LOCAL_MODE in gates)) return {}
  const featureGates = { ...(isObject(gates) ? gates : {}), [LOCAL_MODE]: true }
  return { clusterConfiguration: { ...(isObject(cluster) ? cluster : {}), featureGates } }
}

/**
 * Whether a control plane machine's config is what the control plane wants. Where init and join are configured
 * differently, the first machine may match in either form (filters.go, matchesKubeadmConfig).
 */
export function configMatches(config: JsonObject, wanted: JsonObject, version: string | null): boolean {
  const now = bootstrapPart(config)
  if (same(now, bootstrapPart(wantedFor(config, wanted, version)))) return true
  return isForInit(config) && same(now, bootstrapPart(initForm(wanted, version)))
}

/** What the control plane wants of a machine with this config, in join form. The path of the CA can only be given for joining. */
export function wantedFor(config: JsonObject, wanted: JsonObject, version: string | null): JsonObject {
  const joining = joinForm(wanted, version)
  if (!isForInit(config)) return joining
  const { caCertPath: _, ...join } = joining.joinConfiguration as JsonObject
  return { ...joining, joinConfiguration: join }
}
