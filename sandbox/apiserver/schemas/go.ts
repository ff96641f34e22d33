import type { Json } from '../../../lib/domain/json'
import { isObject, type Schema } from '../schema'

/** Go's names for the parts of an object, by path: what its decoder says when a value has the wrong type. */
export type Structs = Record<string, string>

const MACHINE = (at: string): Structs => ({
  [at]: 'MachineSpec',
  [`${at}.deletion`]: 'MachineDeletionSpec',
})

export const STRUCTS: Record<string, Structs> = {
  MachineDeployment: {
    spec: 'MachineDeploymentSpec',
    ...MACHINE('spec.template.spec'),
    'spec.rollout': 'MachineDeploymentRolloutSpec',
    'spec.rollout.strategy': 'MachineDeploymentRolloutStrategy',
    'spec.rollout.strategy.rollingUpdate': 'MachineDeploymentRolloutStrategyRollingUpdate',
    'spec.remediation': 'MachineDeploymentRemediationSpec',
    'spec.deletion': 'MachineDeploymentDeletionSpec',
  },
  KubeadmControlPlane: {
    spec: 'KubeadmControlPlaneSpec',
    'spec.kubeadmConfigSpec': 'KubeadmConfigSpec',
    'spec.rollout.strategy.rollingUpdate': 'KubeadmControlPlaneRolloutStrategyRollingUpdate',
    'spec.machineTemplate.spec': 'KubeadmControlPlaneMachineTemplateSpec',
    'spec.machineTemplate.spec.deletion': 'KubeadmControlPlaneMachineTemplateDeletionSpec',
  },
  ExtensionConfig: {
    spec: 'ExtensionConfigSpec',
    'spec.clientConfig': 'ClientConfig',
    'spec.clientConfig.service': 'ServiceReference',
  },
}

const GO: Record<string, string> = { integer: 'int32', boolean: 'bool', string: 'string', number: 'float64' }
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const isInt32 = (value: Json) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31

function goType(schema: Schema): string {
  if (schema.type === 'array') return `[]${goType(schema.items ?? {})}`
  return GO[schema.type ?? ''] ?? 'object'
}

function fits(value: Json, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || isInt32(value)
  if (schema.type === 'integer') return isInt32(value)
  if (schema.type === 'array') return Array.isArray(value)
  if (schema.type === 'object') return isObject(value)
  return !schema.type || schema.type === typeof value
}

/** What Go's JSON decoder finds wrong first, as a webhook answers with it; undefined where it could read everything. */
export function decodingError(value: Json, schema: Schema | undefined, structs: Structs): string | undefined {
  return schema && walk(value, schema, '', '', structs)
}

function walk(value: Json, schema: Schema, path: string, parent: string, structs: Structs): string | undefined {
  if (value === null) return undefined
  if (!fits(value, schema)) return mismatch(value, schema, path, parent, structs)
  if (schema.format === 'date-time' && typeof value === 'string' && !DATE.test(value)) return badDate(value)
  if (schema.format === 'byte' && typeof value === 'string' && !BASE64.test(value))
    return `illegal base64 data at input byte ${/[^A-Za-z0-9+/]/.exec(value)?.index ?? value.length}`
  if (Array.isArray(value)) return first(value, (item) => walk(item, schema.items ?? {}, path, parent, structs))
  if (!isObject(value)) return undefined
  return first(Object.entries(value), ([key, part]) => {
    const known = schema.properties?.[key]
    // The entries of a map are told by the map's own name.
    if (!known) return schema.additionalProperties && walk(part, schema.additionalProperties, path, parent, structs)
    return walk(part, known, path ? `${path}.${key}` : key, path, structs)
  })
}

function mismatch(value: Json, schema: Schema, path: string, parent: string, structs: Structs): string {
  const wanted = schema['x-kubernetes-int-or-string'] ? 'int32' : goType(schema)
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  const literal = kind === 'number' && wanted === 'int32' ? ` ${String(value)}` : ''
  const field = structs[parent] ? `${structs[parent]}.${path}` : path
  return `json: cannot unmarshal ${kind}${literal} into Go struct field ${field} of type ${wanted}`
}

const LAYOUT = '2006-01-02T15:04:05Z07:00'
const badDate = (value: string) => `parsing time "${value}" as "${LAYOUT}": cannot parse "${value}" as "2006"`

function first<T>(items: T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = check(item)
    if (found) return found
  }
  return undefined
}
