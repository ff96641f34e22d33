import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import type { Cause } from '../status'
import { same } from '../storage/values'
import { at, forbidden, internal, invalid, naming, required, taints, version } from './causes'

const KUBEADM = 'spec.kubeadmConfigSpec'
const CONFIGURATION = `${KUBEADM}.clusterConfiguration`
const both = (...names: string[]) => names.flatMap((name) => [name, `${name}.*`])
const joined = (part: string) =>
  [...both('nodeRegistration', 'timeouts'), 'patches', 'patches.directory', 'skipPhases'].map(
    (name) => `${KUBEADM}.${part}.${name}`,
  )

/** What an update of a control plane may change; the whole below a star. */
const ALLOWED = [
  'metadata.*',
  'status.*',
  ...both('etcd', 'etcd.local', 'dns', 'featureGates', 'apiServer', 'controllerManager', 'scheduler')
    .concat('etcd.external.*', 'imageRepository', 'certificateValidityPeriodDays', 'encryptionAlgorithm')
    .map((name) => `${CONFIGURATION}.${name}`),
  ...joined('initConfiguration'),
  ...['bootstrapTokens', ...both('localAPIEndpoint')].map((name) => `${KUBEADM}.initConfiguration.${name}`),
  ...joined('joinConfiguration'),
  ...['caCertPath', ...both('controlPlane', 'discovery')].map((name) => `${KUBEADM}.joinConfiguration.${name}`),
  ...['bootCommands', 'preKubeadmCommands', 'postKubeadmCommands', 'files', 'verbosity', 'users', 'format', 'mounts']
    .concat(both('ntp', 'ignition', 'diskSetup'))
    .map((name) => `${KUBEADM}.${name}`),
  ...both('machineTemplate.metadata', 'machineTemplate.spec', 'remediation', 'machineNaming', 'rollout')
    .concat('replicas', 'version')
    .map((name) => `spec.${name}`),
].map((path) => path.split('.'))

function allows(path: string[]): boolean {
  return ALLOWED.some((allowed) => {
    for (const [i, part] of path.entries()) {
      if (allowed[i] === '*') return true
      if (allowed[i] !== part) return false
    }
    return path.length >= allowed.length
  })
}

/** Paths of the leaves that differ, as a merge patch between the two would have them. */
function differing(before: Json | undefined, after: Json | undefined, path: string[] = []): string[][] {
  if (same(before, after)) return []
  if (!isObject(after) || (before !== undefined && !isObject(before))) return [path]
  const old: JsonObject = before ?? {}
  return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((key) =>
    key in after ? differing(old[key], after[key], [...path, key]) : [[...path, key]],
  )
}

const unchangeable = (object: SandboxObject, old: SandboxObject): Cause[] =>
  differing(old.spec, object.spec, ['spec'])
    .filter((path) => !allows(path))
    .map((path) => forbidden(path.join('.'), 'cannot be modified'))

const intValue = (value: Json | undefined): number =>
  typeof value === 'number' ? value : /^[+-]?\d+$/.test(String(value)) ? Number(value) : 0

function rollout(object: SandboxObject): Cause[] {
  const path = 'spec.rollout.strategy.rollingUpdate'
  const surge = at(object, `${path}.maxSurge`)
  const replicas = at(object, 'spec.replicas')
  if (surge === undefined) return []
  const causes: Cause[] = []
  if (intValue(surge) === 0 && typeof replicas === 'number' && replicas < 3) {
    const why = 'when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3'
    causes.push(required(path, why))
  }
  if (![0, 1].includes(intValue(surge))) causes.push(required(`${path}.maxSurge`, 'value must be 1 or 0'))
  return causes
}

const TAG = /^\w[\w.-]{0,127}$/

/** DNS is the one image that is checked further: its version decides how it is migrated. */
function images(object: SandboxObject): Cause[] {
  const tag = at(object, `${CONFIGURATION}.dns.imageTag`)
  if (typeof tag !== 'string' || !tag || TAG.test(tag)) return []
  const why = `failed to parse CoreDNS version: Invalid character(s) found in major number ${JSON.stringify(`0${tag}`)}`
  return [forbidden(`${CONFIGURATION}.dns.imageTag`, `tag ${tag} is invalid`), invalid('dns.imageTag', tag, why)]
}

export function controlPlane(object: SandboxObject, old: SandboxObject | undefined): Cause[] {
  const replicas = at(object, 'spec.replicas')
  const external = isObject(at(object, `${CONFIGURATION}.etcd.external`))
  const causes: Cause[] = []
  if (typeof replicas === 'number' && replicas <= 0)
    causes.push(forbidden('spec.replicas', 'cannot be less than or equal to 0'))
  if (typeof replicas === 'number' && replicas % 2 === 0 && !external)
    causes.push(forbidden('spec.replicas', 'cannot be an even number when etcd is stacked'))
  causes.push(
    ...taints('spec.machineTemplate.spec.taints', at(object, 'spec.machineTemplate.spec.taints')),
    ...version('spec.version', at(object, 'spec.version')),
    ...rollout(object),
    ...naming('spec.machineNaming.template', at(object, 'spec.machineNaming.template')),
    ...images(object),
  )
  if (at(object, `${KUBEADM}.format`) === 'ignition')
    causes.push(
      forbidden(`${KUBEADM}.format`, 'can be set only if the KubeadmBootstrapFormatIgnition feature gate is enabled'),
    )
  const etcd = `${CONFIGURATION}.etcd`
  if (external && isObject(at(object, `${etcd}.local`)))
    causes.push(forbidden(`${etcd}.local`, 'cannot have both external and local etcd'))
  if (old && external !== isObject(at(old, `${etcd}.external`)))
    causes.push(forbidden(`${etcd}.external`, 'cannot change between external and local etcd'))
  return old ? [...causes, ...unchangeable(object, old), ...skipped(object, old)] : causes
}

const PARTS = /^v?(\d+)\.(\d+)\.(\d+)/

/** At most one minor version up. */
function skipped(object: SandboxObject, old: SandboxObject): Cause[] {
  const [to, from] = [String(at(object, 'spec.version')), String(at(old, 'spec.version'))]
  const [target, source] = [PARTS.exec(to), PARTS.exec(from)]
  if (!source) return []
  if (!target)
    return [internal('spec.version', `failed to parse updated kubeadmcontrolplane version: ${to}: ${unparsed(to)}`)]
  const [major, minor] = [Number(target[1]) - Number(source[1]), Number(target[2]) - Number(source[2])]
  if (major < 0 || (major === 0 && minor <= 1)) return []
  return [forbidden('spec.version', `cannot update Kubernetes version from ${from} to ${to}`)]
}

/** What Go's semver parser says. */
function unparsed(text: string): string {
  const [major = '', minor = '0', patch = '0'] = text.replace(/^v/, '').split('.')
  const odd = Object.entries({ major, minor, patch }).find(([, part]) => !/^\d+$/.test(part))
  if (!odd?.[1]) return 'strconv.ParseUint: parsing "": invalid syntax'
  return `Invalid character(s) found in ${odd[0]} number ${JSON.stringify(odd[1])}`
}

export function defaultControlPlane(object: SandboxObject): SandboxObject {
  const spec = (object.spec ?? {}) as JsonObject
  const given = (at(object, 'spec.rollout.strategy') ?? {}) as JsonObject
  const rollingUpdate = { maxSurge: 1, ...(given.rollingUpdate as JsonObject) }
  const strategy = { ...given, type: 'RollingUpdate', rollingUpdate }
  const wanted = String(spec.version ?? '')
  return {
    ...object,
    spec: {
      ...spec,
      version: wanted.startsWith('v') ? wanted : `v${wanted}`,
      replicas: spec.replicas ?? 1,
      rollout: { ...(spec.rollout as JsonObject), strategy },
    },
  }
}
