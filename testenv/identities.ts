import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { openShiftWriteRbac, planRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'

/** Who can speak to the API server. Tokens are made anew at each start. */
export const IDENTITIES = {
  /** Cluster administrators other than Drydock; the managers run as this one too. */
  admin: { user: 'admin', groups: ['system:masters'] },
  /** Drydock itself: exactly the rights of its RBAC manifest. */
  drydock: { user: 'drydock', groups: [] },
  /** An administrator who is also in the break-glass group. */
  breakGlass: { user: 'night-shift', groups: ['system:masters', 'drydock:break-glass'] },
} as const
export type Identity = keyof typeof IDENTITIES

export function writeTokens(file: string): Record<Identity, string> {
  const tokens = {} as Record<Identity, string>
  const lines = (Object.keys(IDENTITIES) as Identity[]).map((id) => {
    tokens[id] = randomBytes(24).toString('hex')
    const { user, groups } = IDENTITIES[id]
    return [tokens[id], user, user, ...(groups.length ? [`"${groups.join(',')}"`] : [])].join(',')
  })
  writeFileSync(file, lines.join('\n') + '\n', { mode: 0o600 })
  return tokens
}

export function kubeconfigFor(server: string, caPem: string, user: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'testenv', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'testenv', context: { cluster: 'testenv', user } }],
    'current-context': 'testenv',
  })
}

const RESOURCES: Record<string, string> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
}

/** Gives Drydock's user what the manifests in deploy give its service account, and nothing more. */
export async function grantDrydock(admin: KubeClient, openshift: boolean): Promise<void> {
  const parts = ['cluster-api', 'latch', 'gate', ...(openshift ? (['openshift'] as const) : [])] as const
  const user = { kind: 'User', name: IDENTITIES.drydock.user } as const
  const written = openshift ? openShiftWriteRbac(user) : []
  const objects = [...rbacManifest(parts, user), ...planRbac(user), ...written]
  for (const object of objects) {
    const { name, namespace } = object.metadata as { name: string; namespace?: string }
    if (namespace) await ensureNamespace(admin, namespace)
    const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: RESOURCES[String(object.kind)]! }
    await admin.patch(resource, name, namespace, 'apply', object)
  }
}

async function ensureNamespace(admin: KubeClient, name: string): Promise<void> {
  const namespace: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await admin.patch({ group: '', version: 'v1', plural: 'namespaces' }, name, undefined, 'apply', namespace)
}
