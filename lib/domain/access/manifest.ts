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

/**
 * The exact RBAC that Drydock needs, as manifests: roles from the table, bound to `subject`.
 * Without a subject a service account of Drydock's own is part of it.
 */
export function rbacManifest(
  parts: readonly Part[],
  subject: Subject = { kind: 'ServiceAccount', name: 'drydock' },
): JsonObject[] {
  const needs = NEEDS.filter((need) => parts.includes(need.part))
  const who = subjectOf(subject)
  const namespaces = [...new Set(needs.flatMap((need) => need.namespace ?? []))]
  return [
    ...(subject.kind === 'ServiceAccount' ? serviceAccount(subject.name) : []),
    role(
      'ClusterRole',
      undefined,
      needs.filter((need) => !need.namespace),
    ),
    binding('ClusterRole', undefined, who),
    ...namespaces.flatMap((namespace) => [
      role(
        'Role',
        namespace,
        needs.filter((need) => need.namespace === namespace),
      ),
      binding('Role', namespace, who),
    ]),
  ]
}

/**
 * What trying planned changes needs besides: a dry run is allowed only to who may do it for real. A role of its own, so
 * that it is given, and taken away, by itself.
 */
export function planRbac(subject: Subject = { kind: 'ServiceAccount', name: 'drydock' }): JsonObject[] {
  const needs = NEEDS.filter((need) => need.part === 'plan')
  return [role('ClusterRole', undefined, needs, PLAN), binding('ClusterRole', undefined, subjectOf(subject), PLAN)]
}
const PLAN = 'drydock-plan'

const subjectOf = (subject: Subject): JsonObject =>
  subject.kind === 'User'
    ? { kind: 'User', name: subject.name, apiGroup: RBAC }
    : { kind: 'ServiceAccount', name: subject.name, namespace: NAMESPACE }

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
