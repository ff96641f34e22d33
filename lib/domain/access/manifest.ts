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
  const who: JsonObject =
    subject.kind === 'User'
      ? { kind: 'User', name: subject.name, apiGroup: RBAC }
      : { kind: 'ServiceAccount', name: subject.name, namespace: NAMESPACE }
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

const metadata = (namespace?: string): JsonObject => ({
  name: 'drydock',
  ...(namespace ? { namespace } : {}),
  labels: LABELS,
})

function role(kind: 'ClusterRole' | 'Role', namespace: string | undefined, needs: Need[]): JsonObject {
  const rules = needs.map((need) => ({
    apiGroups: [need.group],
    resources: need.resources,
    verbs: need.verbs,
    ...(need.names ? { resourceNames: need.names } : {}),
  }))
  return { apiVersion: `${RBAC}/v1`, kind, metadata: metadata(namespace), rules }
}

function binding(kind: 'ClusterRole' | 'Role', namespace: string | undefined, subject: JsonObject): JsonObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${kind}Binding`,
    metadata: metadata(namespace),
    roleRef: { apiGroup: RBAC, kind, name: 'drydock' },
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
