import type { IncomingMessage } from 'node:http'
import type { Json, JsonObject } from '../../../lib/domain/json'
import type { Authorizer, Caller } from '../rbac'
import { isObject } from '../schema'
import { badRequest, forbidden, StatusError } from '../status'
import type { Users } from '../users'

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/** Who calls: by token, and as whom if the caller may impersonate. */
export function identify(request: IncomingMessage, users: Users, authorizer: Authorizer): Caller {
  const found = users.authenticate(request.headers.authorization)
  if (!found) throw new StatusError(401, 'Unauthorized', 'Unauthorized')
  const self: Caller = { user: found.name, groups: [...new Set([...found.groups, 'system:authenticated'])] }
  const user = one(request.headers['impersonate-user'])
  const raw = request.rawHeaders
  const groups = raw.flatMap((name, i) =>
    i % 2 === 0 && name.toLowerCase() === 'impersonate-group' ? [raw[i + 1]!] : [],
  )
  if (!user) {
    if (groups.length) throw badRequest('requested [] without impersonating a user')
    return self
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user)
  may(self, authorizer, account ? 'serviceaccounts' : 'users', account ? account[2]! : user, account?.[1])
  for (const group of groups) may(self, authorizer, 'groups', group)
  return { user, groups: [...new Set([...groups, 'system:authenticated'])] }
}

function may(self: Caller, authorizer: Authorizer, resource: string, name: string, namespace?: string) {
  if (authorizer.allows(self, { verb: 'impersonate', group: '', resource, name, namespace })) return
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  throw forbidden(
    { group: '', plural: resource },
    name,
    `User "${self.user}" cannot impersonate resource "${resource}" in API group "" ${where}`,
  )
}

interface AccessAttributes {
  verb?: string
  group?: string
  resource?: string
  subresource?: string
  name?: string
  namespace?: string
}

/** Answers a review, with what was asked in it. */
export function review(plural: string, body: Json, caller: Caller, authorizer: Authorizer): JsonObject {
  if (!isObject(body)) throw badRequest('the object provided is unrecognized (must be of type object)')
  if (plural === 'selfsubjectreviews')
    return { ...reviewed(body), status: { userInfo: { username: caller.user, groups: caller.groups } } }
  const spec = (isObject(body.spec) ? body.spec : {}) as JsonObject
  const asked = spec.resourceAttributes as AccessAttributes | undefined
  if (!asked && !spec.nonResourceAttributes)
    throw new StatusError(
      422,
      'Invalid',
      'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    )
  const allowed = asked ? mayAccess(asked, caller, authorizer) : caller.groups.includes('system:masters')
  return { ...reviewed(body), spec, status: { allowed, ...(allowed ? { reason: 'RBAC: allowed' } : {}) } }
}

const mayAccess = (asked: AccessAttributes, caller: Caller, authorizer: Authorizer) =>
  authorizer.allows(caller, {
    verb: asked.verb ?? '',
    group: asked.group ?? '',
    resource: asked.resource ?? '',
    subresource: asked.subresource || undefined,
    name: asked.name || undefined,
    namespace: asked.namespace || undefined,
  })

const reviewed = ({ apiVersion, kind }: JsonObject): JsonObject => ({
  ...(kind ? { kind } : {}),
  ...(apiVersion ? { apiVersion } : {}),
  metadata: { creationTimestamp: null },
})
