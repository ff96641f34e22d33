import { GUARD, GUARD_EXTENSION, GUARD_POOLS, GUARD_WEBHOOKS } from '../domain/latch/names'
import type { KubeError } from './types'

/** Who is not allowed says so in these words: RBAC, and whatever else authorizes. */
const BY_RBAC = /\bUser "[^]*" cannot \S+ (?:resource|path) /
const BY_POLICY = /\b(\w*[Pp]olicy) '([^']+)' with binding '[^']*' denied request/
const BY_WEBHOOK = /\badmission webhook "([^"]+)" denied the request/
/** How the API server begins what its own admission refuses, as it does for RBAC, which is looked for first. */
const BY_SERVER = /\bis forbidden: /
const GUARDS: readonly string[] = [GUARD, GUARD_POOLS, GUARD_EXTENSION, GUARD_WEBHOOKS]

/** What refused a write that its writer has the permission for. */
export interface Denial {
  /** "the admission policy no-fridays", "the admission webhook x.example.com", "a rule of the cluster" */
  by: string
  /** Of the policy or the webhook; null: its words name none. */
  name: string | null
  /** It is a guard of the latch: it takes whoever writes for somebody other than Drydock. */
  guard: boolean
}

/** Null: not refused by admission, as far as the API server's own words tell. A 403 may be of a proxy before it, and say nothing. */
export function deniedBy({ code, message }: Pick<KubeError, 'code' | 'message'>): Denial | null {
  const policy = BY_POLICY.exec(message)?.[2]
  if (policy !== undefined)
    return { by: `the admission policy ${policy}`, name: policy, guard: GUARDS.includes(policy) }
  const webhook = BY_WEBHOOK.exec(message)?.[1]
  if (webhook !== undefined) return { by: `the admission webhook ${webhook}`, name: webhook, guard: false }
  return code === 403 && !BY_RBAC.test(message) && BY_SERVER.test(message)
    ? { by: 'a rule of the cluster', name: null, guard: false }
    : null
}

/** Whether it was refused for want of a permission, and says so. */
export const isUnpermitted = (error: Pick<KubeError, 'code' | 'message'>): boolean =>
  error.code === 403 && !deniedBy(error) && BY_RBAC.test(error.message)

/** "configmaps "admin-gates" is forbidden: User "drydock" cannot get resource "configmaps" in API group "" in the namespace "a"" */
const READ =
  /(?: "([^"]+)")? is forbidden: User "[^]*" cannot (get|list|watch) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/

export interface DeniedRead {
  verb: string
  group: string
  resource: string
  name: string | null
  namespace: string | null
}

/** Which read RBAC refused; null: no read, or its words do not say so. */
export function deniedRead(message: string): DeniedRead | null {
  const found = READ.exec(message)
  if (!found) return null
  const [, name = null, verb, resource, group, namespace = null] = found
  return { verb: verb!, group: group!, resource: resource!, name, namespace }
}
