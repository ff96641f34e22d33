import { createHash, randomBytes } from 'node:crypto'
import type { JsonObject } from '../../lib/domain/json'
import { stringify } from 'yaml'

export interface Rule {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
  resourceNames?: string[]
  /** Only in this namespace. */
  namespace?: string
}

export interface User {
  name: string
  groups: string[]
  rules: Rule[]
}

export interface RunningUser extends User {
  token: string
  kubeconfig: string
}

/** Rules of ClusterRoles and Roles as manifests hold them. */
export function rulesFromManifests(manifests: JsonObject[]): Rule[] {
  return manifests
    .filter((manifest) => manifest.kind === 'ClusterRole' || manifest.kind === 'Role')
    .flatMap((role) => {
      const { namespace } = role.metadata as { namespace?: string }
      return ((role.rules ?? []) as unknown as Rule[]).map((rule) => ({ ...rule, ...(namespace ? { namespace } : {}) }))
    })
}

const digest = (token: string) => createHash('sha256').update(token).digest('hex')

/** Who may come in: a generated bearer token for each. */
export class Users {
  private readonly byToken = new Map<string, User>()
  readonly all: Record<string, RunningUser> = {}

  constructor(
    users: User[],
    server: { url: string; caPem: string; cluster: string },
    tokens: Record<string, string> = {},
  ) {
    for (const user of users) {
      const token = tokens[user.name] ?? randomBytes(24).toString('base64url')
      this.byToken.set(digest(token), user)
      this.all[user.name] = { ...user, token, kubeconfig: kubeconfig(user.name, token, server) }
    }
  }

  authenticate(authorization: string | undefined): User | undefined {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
    return token ? this.byToken.get(digest(token)) : undefined
  }
}

function kubeconfig(user: string, token: string, server: { url: string; caPem: string; cluster: string }): string {
  const authority = Buffer.from(server.caPem).toString('base64')
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: server.cluster, cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: server.cluster, context: { cluster: server.cluster, user } }],
    'current-context': server.cluster,
  })
}
