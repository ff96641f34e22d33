import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import type { Cause } from '../status'
import { same } from '../storage/values'

const VERSION = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-0-9a-zA-Z_.+]*)?$/

const at = (object: SandboxObject | undefined, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      object as unknown as JsonObject,
    )

const invalid = (field: string, value: Json | undefined, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
})
const required = (field: string, why: string): Cause => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value: ${why}`,
})
const forbidden = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
})

function version(object: SandboxObject, path: string): Cause[] {
  const value = at(object, path)
  return typeof value === 'string' && !VERSION.test(value)
    ? [invalid(path, value, 'must be a valid semantic version')]
    : []
}

function immutable(object: SandboxObject, old: SandboxObject | undefined, path: string): Cause[] {
  if (!old || same(at(object, path), at(old, path))) return []
  return [forbidden(path, 'field is immutable')]
}

function selected(object: SandboxObject): Cause[] {
  const selector = (at(object, 'spec.selector.matchLabels') ?? {}) as Record<string, string>
  const labels = (at(object, 'spec.template.metadata.labels') ?? {}) as Record<string, string>
  const fits = Object.entries(selector).every(([key, value]) => labels[key] === value)
  return fits ? [] : [invalid('spec.template.metadata.labels', labels, 'must match spec.selector')]
}

/** A count out of a number or a percentage; what is no count is the schema's business. */
const isZero = (value: Json | undefined) => value === 0 || value === '0' || value === '0%'

export function machineDeployment(object: SandboxObject, old: SandboxObject | undefined): Cause[] {
  const rolling = at(object, 'spec.rollout.strategy.rollingUpdate')
  const causes = [
    ...immutable(object, old, 'spec.clusterName'),
    ...immutable(object, old, 'spec.selector'),
    ...version(object, 'spec.template.spec.version'),
    ...selected(object),
  ]
  const path = 'spec.rollout.strategy.rollingUpdate'
  if (isObject(rolling) && isZero(rolling.maxSurge) && isZero(rolling.maxUnavailable ?? 0))
    causes.push(invalid(`${path}.maxUnavailable`, rolling.maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'))
  if (isObject(rolling) && at(object, 'spec.rollout.strategy.type') === 'OnDelete')
    causes.push(forbidden(path, 'may not be specified when strategy `type` is OnDelete'))
  return causes
}

export const machineSet = (object: SandboxObject, old: SandboxObject | undefined): Cause[] => [
  ...immutable(object, old, 'spec.clusterName'),
  ...immutable(object, old, 'spec.selector'),
  ...version(object, 'spec.template.spec.version'),
  ...selected(object),
]

export const machine = (object: SandboxObject, old: SandboxObject | undefined): Cause[] => [
  ...immutable(object, old, 'spec.clusterName'),
  ...version(object, 'spec.version'),
]

export function controlPlane(object: SandboxObject, old: SandboxObject | undefined): Cause[] {
  const causes = version(object, 'spec.version')
  const replicas = at(object, 'spec.replicas')
  const surge = at(object, 'spec.rollout.strategy.rollingUpdate.maxSurge')
  const external = isObject(at(object, 'spec.kubeadmConfigSpec.clusterConfiguration.etcd.external'))
  if (replicas === 0) causes.push(forbidden('spec.replicas', 'cannot be 0'))
  else if (typeof replicas === 'number' && replicas % 2 === 0 && !external)
    causes.push(forbidden('spec.replicas', 'cannot be an even number when etcd is stacked'))
  const surgePath = 'spec.rollout.strategy.rollingUpdate.maxSurge'
  if (surge !== undefined && ![0, 1, '0', '1'].includes(surge as string))
    causes.push(required(surgePath, 'value must be 1 or 0'))
  if (isZero(surge) && typeof replicas === 'number' && replicas < 3)
    causes.push(
      required(
        'spec.rollout.strategy.rollingUpdate',
        'when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3',
      ),
    )
  return [...causes, ...skipped(object, old)]
}

const MINOR = /^v?(\d+)\.(\d+)\./

/** A control plane goes one minor version at a time, and never back. */
function skipped(object: SandboxObject, old: SandboxObject | undefined): Cause[] {
  const [to, from] = [at(object, 'spec.version'), at(old, 'spec.version')]
  const [target, source] = [MINOR.exec(String(to)), MINOR.exec(String(from))]
  if (!old || !target || !source || to === from) return []
  const steps = Number(target[2]) - Number(source[2])
  if (target[1] === source[1] && steps <= 1) return []
  return [forbidden('spec.version', `cannot update Kubernetes version from ${String(from)} to ${String(to)}`)]
}

/** Templates may not change what they make; another template is made instead. */
export const template =
  (kind: string) =>
  (object: SandboxObject, old: SandboxObject | undefined): Cause[] => {
    if (!old || same(at(object, 'spec.template.spec'), at(old, 'spec.template.spec'))) return []
    return [
      invalid(
        'spec.template.spec',
        at(object, 'spec.template.spec'),
        `${kind} spec.template.spec field is immutable. Please create a new resource instead.`,
      ),
    ]
  }

export function extensionConfig(object: SandboxObject): Cause[] {
  const url = at(object, 'spec.clientConfig.url')
  const service = at(object, 'spec.clientConfig.service')
  const path = 'spec.clientConfig'
  if (!url && !service) return [required(path, 'either url or service must be defined')]
  if (url && service) return [forbidden(path, 'only one of url or service can be defined')]
  if (typeof url === 'string' && !/^https?:\/\//.test(url))
    return [invalid(`${path}.url`, url, `must be a valid URL, e.g. https://example.com`)]
  return []
}

const DEFAULT_ROLLING = { maxSurge: 1, maxUnavailable: 0 }

/** As the defaulting webhook: replicas, strategy, and the labels by which the machines are found. */
export function defaultMachineDeployment(object: SandboxObject): SandboxObject {
  const spec = (object.spec ?? {}) as JsonObject
  const labels = { 'cluster.x-k8s.io/cluster-name': String(spec.clusterName ?? '') }
  const given = (at(object, 'spec.rollout.strategy') ?? {}) as JsonObject
  const type = given.type ?? 'RollingUpdate'
  const strategy =
    type === 'RollingUpdate'
      ? { ...given, type, rollingUpdate: { ...DEFAULT_ROLLING, ...(given.rollingUpdate as JsonObject) } }
      : { ...given, type }
  const own = { ...labels, 'cluster.x-k8s.io/deployment-name': object.metadata.name }
  const selector = (spec.selector ?? {}) as JsonObject
  const template = (spec.template ?? {}) as JsonObject
  const metadata = (template.metadata ?? {}) as JsonObject
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      rollout: { ...(spec.rollout as JsonObject), strategy },
      selector: { ...selector, matchLabels: { ...(selector.matchLabels as JsonObject), ...own } },
      template: { ...template, metadata: { ...metadata, labels: { ...(metadata.labels as JsonObject), ...own } } },
    },
  }
}

export function defaultControlPlane(object: SandboxObject): SandboxObject {
  const spec = (object.spec ?? {}) as JsonObject
  const given = (at(object, 'spec.rollout.strategy') ?? {}) as JsonObject
  const strategy = {
    ...given,
    type: given.type ?? 'RollingUpdate',
    rollingUpdate: { maxSurge: 1, ...(given.rollingUpdate as JsonObject) },
  }
  return {
    ...object,
    spec: { ...spec, replicas: spec.replicas ?? 1, rollout: { ...(spec.rollout as JsonObject), strategy } },
  }
}
