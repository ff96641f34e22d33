import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import type { Cause } from '../status'

export const at = (object: SandboxObject | undefined, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      object as unknown as JsonObject,
    )

export const invalid = (field: string, value: Json | undefined, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
})
export const required = (field: string, why: string): Cause => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value: ${why}`,
})
export const forbidden = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
})
export const internal = (field: string, why: string): Cause => ({
  reason: 'InternalError',
  field,
  message: `Internal error: ${why}`,
})

// As github.com/blang/semver parses, after the "v".
const NUMBER = '(0|[1-9]\\d*)'
const PRE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE}(\\.${PRE})*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$`,
)

export function version(path: string, value: Json | undefined): Cause[] {
  if (typeof value !== 'string') return []
  return SEMVER.test(value.replace(/^v/, '')) ? [] : [invalid(path, value, 'must be a valid semantic version')]
}

/** With the "v" that the defaulting webhooks put in front. */
const withV = (value: Json | undefined) =>
  typeof value === 'string' && value && !value.startsWith('v') ? `v${value}` : value

export function naming(path: string, template: Json | undefined): Cause[] {
  if (typeof template !== 'string' || !template || template.includes('{{ .random }}')) return []
  return [invalid(path, template, 'invalid template, {{ .random }} is missing')]
}

const PREFIXES = ['node.kubernetes.io/', 'node.cloudprovider.kubernetes.io/']

/** MachineTaintPropagation is an alpha feature gate, off by default. */
export function taints(path: string, value: Json | undefined): Cause[] {
  if (!Array.isArray(value) || !value.length) return []
  const gate = 'taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled'
  const reserved = value.flatMap((taint, i) => {
    const key = isObject(taint) ? String(taint.key) : ''
    const prefix = PREFIXES.find((one) => key.startsWith(one))
    if (!prefix || key === 'node.kubernetes.io/out-of-service') return []
    const except = prefix === PREFIXES[0] ? ', except for node.kubernetes.io/out-of-service' : ''
    return [invalid(`${path}[${i}].key`, key, `taint key must not have the prefix ${prefix}${except}`)]
  })
  return [forbidden(path, gate), ...reserved]
}

export const versioned = (spec: JsonObject): JsonObject =>
  spec.version === undefined ? spec : { ...spec, version: withV(spec.version)! }
