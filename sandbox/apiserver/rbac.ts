import type { SandboxObject, Store } from '../types'
import type { Rule, User } from './users'

export interface Attributes {
  verb: string
  group: string
  resource: string
  subresource?: string
  name?: string
  namespace?: string
}

export interface Caller {
  user: string
  groups: string[]
}

const covers = (list: string[] | undefined, value: string) => (list ?? []).some((one) => one === '*' || one === value)

function grants(rule: Rule, a: Attributes): boolean {
  if (rule.namespace !== undefined && rule.namespace !== a.namespace) return false
  if (!covers(rule.verbs, a.verb) || !covers(rule.apiGroups, a.group)) return false
  const resource = a.subresource ? `${a.resource}/${a.subresource}` : a.resource
  if (!covers(rule.resources, resource) && !(a.subresource && covers(rule.resources, `*/${a.subresource}`)))
    return false
  return !rule.resourceNames?.length || (a.name !== undefined && rule.resourceNames.includes(a.name))
}

interface Binding extends SandboxObject {
  roleRef: { kind: string; name: string }
  subjects?: { kind: string; name: string; namespace?: string }[]
}

const binds = (binding: Binding, { user, groups }: Caller) =>
  (binding.subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === user
    if (subject.kind === 'Group') return groups.includes(subject.name)
    return user === `system:serviceaccount:${subject.namespace}:${subject.name}`
  })

/** Rights: system:masters may all, others what their rules and the server's RBAC objects grant. */
export class Authorizer {
  constructor(
    private readonly users: () => User[],
    private readonly store: Store,
  ) {}

  allows(caller: Caller, attributes: Attributes): boolean {
    if (caller.groups.includes('system:masters')) return true
    const own = this.users().find((user) => user.name === caller.user)?.rules ?? []
    return [...own, ...this.bound(caller)].some((rule) => grants(rule, attributes))
  }

  private bound(caller: Caller): Rule[] {
    const of = (plural: string) => this.store.list(`${plural}.rbac.authorization.k8s.io`) as Binding[]
    const rules = (binding: Binding, namespace?: string): Rule[] => {
      const cluster = binding.roleRef.kind === 'ClusterRole'
      const resource = `${cluster ? 'clusterroles' : 'roles'}.rbac.authorization.k8s.io`
      const role = this.store.get(resource, cluster ? binding.roleRef.name : `${namespace}/${binding.roleRef.name}`)
      const found = (role as unknown as { rules?: Rule[] } | undefined)?.rules ?? []
      return found.map((rule) => ({ ...rule, ...(namespace ? { namespace } : {}) }))
    }
    return [
      ...of('clusterrolebindings')
        .filter((b) => binds(b, caller))
        .flatMap((b) => rules(b)),
      ...of('rolebindings')
        .filter((b) => binds(b, caller))
        .flatMap((b) => rules(b, b.metadata.namespace)),
    ]
  }
}
