import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import { selects } from '../selectors'
import type { Cause } from '../status'
import { badKey, badLabelValue, badName } from '../storage/names'
import { same } from '../storage/values'
import { at, forbidden, invalid, naming, required, taints, version, versioned } from './causes'

export { cluster, defaultCluster } from './cluster-webhook'
export { controlPlane, defaultControlPlane } from './control-plane-webhook'

function immutable(object: SandboxObject, old: SandboxObject | undefined, path: string): Cause[] {
  if (!old || same(at(object, path), at(old, path))) return []
  return [forbidden(path, 'field is immutable')]
}

interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/** Why a selector is none, in the words of its parser. */
function badSelector(selector: LabelSelector): string | undefined {
  const unknown = selector.matchExpressions?.find(({ operator }) => !OPERATORS.includes(operator))
  if (unknown) return `${JSON.stringify(unknown.operator)} is not a valid label selector operator`
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const [why] = badLabelValue(value)
    if (why) return `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${why}`
  }
  return undefined
}

/** As Go writes it. */
const inOrder = ({ matchLabels, matchExpressions }: LabelSelector): Json =>
  ({ ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) }) as Json

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const exact = Object.entries(matchLabels).map(([key, value]) => [key, `${key}=${value}`] as const)
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    const set = `(${[...values].sort().join(',')})`
    const texts: Record<string, string> = { In: `${key} in ${set}`, NotIn: `${key} notin ${set}`, Exists: key }
    return [key, texts[operator] ?? `!${key}`] as const
  })
  return [...exact, ...others]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join(',')
}

function selected(object: SandboxObject): Cause[] {
  const selector = (at(object, 'spec.selector') ?? {}) as LabelSelector
  const labels = (at(object, 'spec.template.metadata.labels') ?? {}) as Record<string, string>
  const bad = badSelector(selector)
  if (bad) return [invalid('spec.selector', inOrder(selector), bad)]
  if (selects(selector, labels)) return []
  return [forbidden('spec.template.metadata.labels', `must match spec.selector "${selectorText(selector)}"`)]
}

function templateMetadata(object: SandboxObject): Cause[] {
  const path = 'spec.template.metadata'
  const of = (key: string) => (at(object, `${path}.${key}`) ?? {}) as Record<string, string>
  const labels = Object.entries(of('labels')).flatMap(([key, value]) => [
    ...badKey(key).map((why) => invalid(`${path}.labels`, key, why)),
    ...badLabelValue(value).map((why) => invalid(`${path}.labels`, value, why)),
  ])
  const annotations = Object.keys(of('annotations')).flatMap((key) =>
    badKey(key.toLowerCase()).map((why) => invalid(`${path}.annotations`, key, why)),
  )
  return [...labels, ...annotations]
}

/** As Go's intstr: a number, or a percentage in quotes. */
function scaled(path: string, value: Json | undefined): Cause[] {
  if (typeof value !== 'string' || /^[+-]?\d+%$/.test(value)) return []
  const why = value.endsWith('%')
    ? `invalid value ${JSON.stringify(value)}: strconv.Atoi: parsing ${JSON.stringify(value.slice(0, -1))}: invalid syntax`
    : 'invalid type: string is not a percentage'
  return [invalid(path, value, `must be either an int or a percentage: invalid value for IntOrString: ${why}`)]
}

const ROLLING = 'spec.rollout.strategy.rollingUpdate'

export function machineDeployment(object: SandboxObject, old: SandboxObject | undefined): Cause[] {
  const [surge, unavailable] = [at(object, `${ROLLING}.maxSurge`), at(object, `${ROLLING}.maxUnavailable`)]
  const name = object.metadata.name
  const cluster = at(object, 'spec.clusterName')
  const spec = 'spec.template.spec'
  const causes = badLabelValue(name).map((why) => invalid('metadata.name', name, `must be a valid label value: ${why}`))
  if (!at(object, `${spec}.bootstrap.configRef`) && at(object, `${spec}.bootstrap.dataSecretName`) === undefined)
    causes.push(
      required(
        `${spec}.bootstrap`,
        `expected either ${spec}.bootstrap.dataSecretName or ${spec}.bootstrap.configRef to be populated`,
      ),
    )
  causes.push(...selected(object), ...immutable(object, old, 'spec.clusterName'))
  if (cluster !== at(object, `${spec}.clusterName`))
    causes.push(
      invalid(
        'spec.clusterName',
        cluster,
        'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
      ),
    )
  causes.push(...scaled(`${ROLLING}.maxUnavailable`, unavailable), ...scaled(`${ROLLING}.maxSurge`, surge))
  if (surge === 0 && unavailable === 0)
    causes.push(invalid(ROLLING, '0', 'maxUnavailable and maxSurge cannot both be 0'))
  return [
    ...causes,
    ...scaled('spec.remediation.maxInFlight', at(object, 'spec.remediation.maxInFlight')),
    ...version(`${spec}.version`, at(object, `${spec}.version`)),
    ...naming('spec.machineNaming.template', at(object, 'spec.machineNaming.template')),
    ...taints(`${spec}.taints`, at(object, `${spec}.taints`)),
    ...templateMetadata(object),
  ]
}

export const machineSet = (object: SandboxObject, old: SandboxObject | undefined): Cause[] => [
  ...immutable(object, old, 'spec.clusterName'),
  ...version('spec.template.spec.version', at(object, 'spec.template.spec.version')),
  ...selected(object),
]

export const machine = (object: SandboxObject, old: SandboxObject | undefined): Cause[] => [
  ...immutable(object, old, 'spec.clusterName'),
  ...version('spec.version', at(object, 'spec.version')),
]

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

/** As Go's url.ParseRequestURI; undefined where it is one. */
function badUrl(text: string): string | undefined {
  const parse = `parse ${JSON.stringify(text)}: `
  if (!text.startsWith('/') && !/^[a-zA-Z][-a-zA-Z0-9+.]*:/.test(text)) return `${parse}invalid URI for request`
  const host = /^[a-zA-Z][-a-zA-Z0-9+.]*:\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  const odd = /[\s<>"^`{|}\\]/.exec(host)
  return odd ? `${parse}invalid character ${JSON.stringify(odd[0])} in host name` : undefined
}

const CLIENT = 'spec.clientConfig'

function urlCauses(url: string): Cause[] {
  const path = `${CLIENT}.url`
  const bad = badUrl(url)
  if (bad) return [invalid(path, url, `must be a valid URL, e.g. https://example.com: ${bad}`)]
  if (/^https:/i.test(url)) return []
  return [invalid(path, url, "'https' is the only allowed URL scheme, e.g. https://example.com")]
}

function serviceCauses({ name, namespace, path, port }: JsonObject): Cause[] {
  const of = (field: string) => `${CLIENT}.service.${field}`
  const causes = [
    ...badName(String(name ?? ''), 'dns1035').map((why) => invalid(of('name'), name, why)),
    ...badName(String(namespace ?? ''), 'label').map((why) => invalid(of('namespace'), namespace, why)),
  ]
  if (typeof path === 'string' && path) {
    const bad = badUrl(path)
    if (bad) causes.push(invalid(of('path'), path, `must be a valid URL path e.g. /path/to/hook: ${bad}`))
    if (!path.startsWith('/')) causes.push(invalid(of('path'), path, 'must start with "/" to be a valid URL path'))
  }
  if (typeof port === 'number' && (port < 1 || port > 65535))
    causes.push(invalid(of('port'), port, 'must be between 1 and 65535, inclusive'))
  return causes
}

export function extensionConfig(object: SandboxObject): Cause[] {
  const { name } = object.metadata
  const [url, service] = [at(object, `${CLIENT}.url`), at(object, `${CLIENT}.service`)]
  const wrong = badName(name, 'label')
  const causes = wrong.length
    ? [
        invalid(
          'metadata.name',
          name,
          `ExtensionConfig name should be a valid DNS1123 label name: [${wrong.join(' ')}]`,
        ),
      ]
    : []
  if (!url && !service) causes.push(required(CLIENT, 'either url or service must be defined'))
  if (url && service) causes.push(forbidden(CLIENT, 'only one of url or service can be defined'))
  if (typeof url === 'string' && url) causes.push(...urlCauses(url))
  if (isObject(service)) causes.push(...serviceCauses(service))
  const selector = (at(object, 'spec.namespaceSelector') ?? {}) as LabelSelector
  const bad = badSelector(selector)
  if (bad) causes.push(invalid('spec.namespaceSelector', inOrder(selector), bad))
  return causes
}

/** As the defaulting webhook: every namespace, the service's port; a client configuration of nothing is none. */
export function defaultExtensionConfig(object: SandboxObject, old?: SandboxObject): SandboxObject {
  const spec = (object.spec ?? {}) as JsonObject
  const { clientConfig: given, ...rest } = { namespaceSelector: {}, ...spec } as JsonObject
  const client = isObject(given) ? given : {}
  const service = client.service
  const clientConfig = isObject(service) ? { ...client, service: { port: 443, ...service } } : client
  const empty = !old && !client.url && !service && client.caBundle === undefined
  return { ...object, spec: empty ? rest : { ...rest, clientConfig } }
}

const DEFAULT_ROLLING = { maxSurge: 1, maxUnavailable: 0 }

/** As the defaulting webhook: replicas, strategy, and the labels by which the machines are found. */
export function defaultMachineDeployment(object: SandboxObject): SandboxObject {
  const spec = (object.spec ?? {}) as JsonObject
  const labels = { 'cluster.x-k8s.io/cluster-name': String(spec.clusterName ?? '') }
  const given = (at(object, 'spec.rollout.strategy') ?? {}) as JsonObject
  const type = given.type || 'RollingUpdate'
  const strategy =
    type === 'RollingUpdate'
      ? { ...given, type, rollingUpdate: { ...DEFAULT_ROLLING, ...(given.rollingUpdate as JsonObject) } }
      : { ...given, type }
  const selector = (spec.selector ?? {}) as JsonObject
  const template = (spec.template ?? {}) as JsonObject
  const metadata = (template.metadata ?? {}) as JsonObject
  const expressions = (selector.matchExpressions ?? []) as Json[]
  const bare = !Object.keys((selector.matchLabels ?? {}) as JsonObject).length && !expressions.length
  const own: JsonObject = bare ? { ...labels, 'cluster.x-k8s.io/deployment-name': object.metadata.name } : labels
  const machine: JsonObject = isObject(template.spec) ? { spec: versioned(template.spec) } : {}
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      rollout: { ...(spec.rollout as JsonObject), strategy },
      selector: { ...selector, matchLabels: { ...(selector.matchLabels as JsonObject), ...own } },
      template: {
        ...template,
        ...machine,
        metadata: { ...metadata, labels: { ...(metadata.labels as JsonObject), ...own } },
      },
    },
  }
}
