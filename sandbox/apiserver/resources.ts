import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject } from '../types'
import type { Schema } from './schema'
import type { Cause } from './status'

/** Rules beyond the schema. `old` is missing on creation. */
export type Validator = (object: SandboxObject, old: SandboxObject | undefined) => Cause[]

/** What else is there: webhooks of the managers look at it. */
export type Others = (resource: string, namespace: string | undefined) => readonly SandboxObject[]

export interface Resource {
  group: string
  /** Served versions; the first is stored, and what controllers and admission see. */
  versions: string[]
  plural: string
  kind: string
  namespaced: boolean
  shortNames?: string[]
  /** Has a status subresource: writes elsewhere leave status alone. */
  status?: boolean
  /** Built in: no CustomResourceDefinition, and a generation only where it is said. */
  builtIn?: boolean
  generation?: boolean
  /** Labels of its CustomResourceDefinition (contract versions). */
  crdLabels?: Record<string, string>
  /** Of the whole object without apiVersion, kind and metadata. Without one every field is kept. */
  schema?: Schema
  /** As the schema's own rules: checked when the schema is content. */
  rules?: Validator
  /** As the provider's validating webhook: refused with its name in front. */
  webhook?: {
    name: string
    check: (object: SandboxObject, old: SandboxObject | undefined, others: Others) => Cause[]
    defaulter?: string
    /** Where its refusals name another. */ group?: string
  }
  /** Has a scale subresource: spec.replicas and status.replicas. */
  scale?: boolean
  /** Fills what the provider's mutating webhook fills. */
  mutate?: (object: SandboxObject, old: SandboxObject | undefined) => SandboxObject
  /** Between the stored version and another served one. Without it only apiVersion changes. */
  convert?: {
    to(version: string, stored: JsonObject): JsonObject
    from(version: string, given: JsonObject): JsonObject
    /** Fields of the stored version that the other one does not have. */
    unknown?: string[]
  }
}

export const nameOf = (resource: Pick<Resource, 'group' | 'plural'>) =>
  resource.group ? `${resource.plural}.${resource.group}` : resource.plural

export const apiVersionOf = (resource: Resource, version = resource.versions[0]!) =>
  resource.group ? `${resource.group}/${version}` : version

/** What a server serves. Later registrations of a name replace earlier ones. */
export class Registry {
  private readonly byName = new Map<string, Resource>()

  constructor(resources: Resource[]) {
    for (const resource of resources) this.byName.set(nameOf(resource), resource)
  }

  find = (name: string) => this.byName.get(name)

  get(name: string): Resource {
    const found = this.byName.get(name)
    if (!found) throw new Error(`The sandbox does not serve ${name}.`)
    return found
  }

  serving(group: string, version: string, plural: string): Resource | undefined {
    const found = this.byName.get(group ? `${plural}.${group}` : plural)
    return found?.versions.includes(version) ? found : undefined
  }

  all = () => [...this.byName.values()]
  replace = (resource: Resource) => this.byName.set(nameOf(resource), resource)
  remove = (name: string) => this.byName.delete(name)

  /** Group -> versions, the preferred one first. */
  groups(): Map<string, string[]> {
    const groups = new Map<string, string[]>()
    for (const { group, versions } of this.byName.values()) {
      const known = groups.get(group) ?? []
      groups.set(group, [...known, ...versions.filter((version) => !known.includes(version))].sort(byPriority))
    }
    return groups
  }
}

/** Kubernetes' version priority: GA before beta before alpha, then the higher number. */
function byPriority(a: string, b: string): number {
  const parse = (version: string) => /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)?.slice(1) ?? []
  const rank = (stage: string | undefined) => (stage === undefined ? 2 : stage === 'beta' ? 1 : 0)
  const [am, as, an] = parse(a)
  const [bm, bs, bn] = parse(b)
  return rank(bs) - rank(as) || Number(bm) - Number(am) || Number(bn ?? 0) - Number(an ?? 0)
}
