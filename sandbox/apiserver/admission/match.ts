import type { SandboxObject } from '../../types'
import { selects } from '../selectors'
import type { Objectbase } from '../storage/objects'
import type { AdmissionRequest } from '../storage/store'
import { toCel } from './cel'

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export interface Rule {
  apiGroups?: string[]
  apiVersions?: string[]
  resources?: string[]
  operations?: string[]
  scope?: string
  resourceNames?: string[]
}

export interface MatchResources {
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  resourceRules?: Rule[]
  excludeResourceRules?: Rule[]
  matchPolicy?: 'Exact' | 'Equivalent'
}

export interface Condition {
  name: string
  expression: string
}

const covers = (list: string[] | undefined, value: string) => (list ?? []).some((one) => one === '*' || one === value)

export function ruleFits(rule: Rule, request: AdmissionRequest, exact = false): boolean {
  const { resource, subresource, operation } = request
  const what = subresource ? `${resource.plural}/${subresource}` : resource.plural
  const resources = rule.resources ?? []
  const covered =
    resources.includes(what) ||
    resources.includes('*/*') ||
    (!subresource && resources.includes('*')) ||
    resources.includes(`${resource.plural}/*`) ||
    (subresource !== undefined && resources.includes(`*/${subresource}`))
  // Every served version is the same object: a rule for another version of it fits too, unless it wants none but its own.
  const versions = exact ? resource.versions.slice(0, 1) : resource.versions
  const scope = rule.scope ?? '*'
  return (
    covered &&
    covers(rule.apiGroups, resource.group) &&
    versions.some((version) => covers(rule.apiVersions, version)) &&
    covers(rule.operations, operation) &&
    (scope === '*' || (scope === 'Namespaced') === resource.namespaced) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(request.name))
  )
}

/** Whether the selectors (and the rules, where there are any) cover the request. */
export function covered(match: MatchResources | undefined, request: AdmissionRequest, base: Objectbase): boolean {
  if (!match) return true
  if (!selectorsFit(match, request, base)) return false
  const exact = match.matchPolicy === 'Exact'
  if (match.resourceRules && !match.resourceRules.some((rule) => ruleFits(rule, request, exact))) return false
  return !match.excludeResourceRules?.some((rule) => ruleFits(rule, request, exact))
}

export function selectorsFit(match: MatchResources, request: AdmissionRequest, base: Objectbase): boolean {
  const isNamespace = request.resource.group === '' && request.resource.plural === 'namespaces'
  const place = isNamespace ? (request.object ?? request.old) : namespaceOf(request, base)
  // Selectors over namespaces say nothing about what is in none.
  if (place && !selects(match.namespaceSelector, place.metadata.labels)) return false
  const { object, old } = request
  return [object, old].some((one) => one !== undefined && selects(match.objectSelector, one.metadata.labels))
}

const namespaceOf = (request: AdmissionRequest, base: Objectbase): SandboxObject | undefined =>
  request.namespace ? base.of('namespaces').get(request.namespace) : undefined

/** What expressions see. */
export function contextOf(request: AdmissionRequest, base: Objectbase): Record<string, unknown> {
  const { resource, operation, name, namespace, as, dryRun, subresource } = request
  const gvk = { group: resource.group, version: resource.versions[0]!, kind: resource.kind }
  const gvr = { group: resource.group, version: resource.versions[0]!, resource: resource.plural }
  const place = namespaceOf(request, base)
  return {
    object: operation === 'DELETE' ? null : toCel(request.object),
    oldObject: operation === 'CREATE' ? null : toCel(request.old),
    namespaceObject: place ? toCel(place) : null,
    params: null,
    request: {
      kind: gvk,
      resource: gvr,
      requestKind: gvk,
      requestResource: gvr,
      name,
      namespace: namespace ?? '',
      operation,
      dryRun,
      subResource: subresource ?? '',
      userInfo: { username: as.user, groups: as.groups ?? [], uid: '', extra: {} },
    },
  }
}
