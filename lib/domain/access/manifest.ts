import type { JsonObject } from '../json'
import { NEEDS, type Need } from './permissions'

export type Part = Need['part']

const NAMESPACE = 'drydock'
const RBAC = 'rbac.authorization.k8s.io'
const LABELS = { 'app.kubernetes.io/managed-by': 'drydock' }

interface Subject {
  kind: 'User' | 'ServiceAccount'
  name: string
}
const DRYDOCK: Subject = { kind: 'ServiceAccount', name: 'drydock' }

/**
 * The exact RBAC that Drydock needs, as manifests: roles from the table, bound to `subject`.
 * Without a subject a service account of Drydock's own is part of it.
 */
export function rbacManifest(parts: readonly Part[], subject: Subject = DRYDOCK): JsonObject[] {
  const needs = NEEDS.filter((need) => parts.includes(need.part))
  return [
    ...(subject.kind === 'ServiceAccount' ? serviceAccount(subject.name) : []),
    ...roles(needs, subjectOf(subject)),
  ]
}

/**
 * What trying planned changes needs besides: a dry run is allowed only to who may do it for real. A role of its own, so
 * that it is given, and taken away, by itself.
 */
export const planRbac = (subject?: Subject): JsonObject[] => besides('plan', 'drydock-plan', subject)

/**
 * Reading OpenShift, with the service account: a role of its own name, so that on a cluster with Cluster API as well neither
 * manifest takes the other's rights away.
 */
export function openShiftReadRbac(subject: Subject = DRYDOCK): JsonObject[] {
  return [
    ...(subject.kind === 'ServiceAccount' ? serviceAccount(subject.name) : []),
    ...besides('openshift', 'drydock-openshift', subject),
  ]
}

/** What changing OpenShift needs besides reading it, by the same reasoning. */
export const openShiftWriteRbac = (subject?: Subject): JsonObject[] =>
  besides('openshift-write', 'drydock-openshift-write', subject)

/** What latching pools in the same write needs besides; without it they are held by pausing. */
export const openShiftLatchRbac = (subject?: Subject): JsonObject[] =>
  besides('openshift-latch', 'drydock-openshift-latch', subject)

/** A part as roles of its own name, for an identity that has the others already. */
function besides(part: Part, name: string, subject: Subject = DRYDOCK): JsonObject[] {
  const needs = NEEDS.filter((need) => need.part === part)
  return roles(needs, subjectOf(subject), name)
}

const subjectOf = (subject: Subject): JsonObject =>
  subject.kind === 'User'
    ? { kind: 'User', name: subject.name, apiGroup: RBAC }
    : { kind: 'ServiceAccount', name: subject.name, namespace: NAMESPACE }

/** One ClusterRole, and a Role in each namespace that a need is limited to, all bound to `who`. */
function roles(needs: Need[], who: JsonObject, name?: string): JsonObject[] {
  const namespaces = [...new Set(needs.flatMap((need) => need.namespace ?? []))]
  const of = (namespace?: string) => needs.filter((need) => need.namespace === namespace)
  return [
    role('ClusterRole', undefined, of(), name),
    binding('ClusterRole', undefined, who, name),
    ...namespaces.flatMap((namespace) => [
      role('Role', namespace, of(namespace), name),
      binding('Role', namespace, who, name),
    ]),
  ]
}

const metadata = (namespace?: string, name = 'drydock'): JsonObject => ({
  name,
  ...(namespace ? { namespace } : {}),
  labels: LABELS,
})

function role(kind: 'ClusterRole' | 'Role', namespace: string | undefined, needs: Need[], name?: string): JsonObject {
  const rules = needs.map((need) => ({
    apiGroups: [need.group],
    resources: need.resources,
    verbs: need.verbs,
    ...(need.names ? { resourceNames: need.names } : {}),
  }))
  return { apiVersion: `${RBAC}/v1`, kind, metadata: metadata(namespace, name), rules }
}

function binding(
  kind: 'ClusterRole' | 'Role',
  namespace: string | undefined,
  subject: JsonObject,
  name = 'drydock',
): JsonObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${kind}Binding`,
    metadata: metadata(namespace, name),
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [subject],
  }
}

function serviceAccount(name: string): JsonObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: LABELS } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE, labels: LABELS } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: {
        name: `${name}-token`,
        namespace: NAMESPACE,
        labels: LABELS,
        annotations: { 'kubernetes.io/service-account.name': name },
      },
    },
  ]
}
