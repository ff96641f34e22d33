import { KubeConfig } from '@kubernetes/client-node'
import { parse } from 'yaml'
import { refusedAddress } from './addresses'
import type { KubeCredentials } from './types'

export const MAX_KUBECONFIG_BYTES = 256 * 1024

/** What reading a kubeconfig found. It is code: nothing of it is used that the allow-list does not name. */
export interface KubeconfigReading {
  contexts: string[]
  /** The context that was read; null: there are several and none was chosen. */
  context: string | null
  /** What would be kept, in words, without secrets. */
  kept: { what: string; value: string }[]
  /** Each with its own sentence; any one of them refuses the whole. */
  refused: { field: string; sentence: string }[]
  /** Only where nothing is refused. */
  credentials?: KubeCredentials
}

type Raw = Record<string, unknown>
const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value)
const named = (list: unknown, name: unknown, key: string): Raw | undefined => {
  const found = Array.isArray(list) ? list.find((item) => isObject(item) && item.name === name) : undefined
  return isObject(found) && isObject(found[key]) ? found[key] : undefined
}

/** Reads a kubeconfig and says what it keeps and refuses. Pure: opens no file, runs nothing, connects nowhere. */
export function readKubeconfig(text: string, chosen?: string): KubeconfigReading {
  const nothing = (field: string, sentence: string): KubeconfigReading => ({
    contexts: [],
    context: null,
    kept: [],
    refused: [{ field, sentence }],
  })
  if (Buffer.byteLength(text) > MAX_KUBECONFIG_BYTES)
    return nothing('file', 'The file is larger than 256 KiB; a kubeconfig for one cluster is a few KiB.')
  if (!text.trim()) return nothing('file', 'Paste or drop a kubeconfig.')
  let raw: unknown
  try {
    raw = parse(text, { maxAliasCount: 10 })
  } catch (error) {
    return nothing('file', `This is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  if (!isObject(raw) || !Array.isArray(raw.contexts) || !Array.isArray(raw.clusters) || !Array.isArray(raw.users)) {
    return nothing('file', 'This is not a kubeconfig: it needs the lists clusters, users and contexts.')
  }
  const contexts = raw.contexts.filter(isObject).map((c) => String(c.name ?? ''))
  if (contexts.length === 0)
    return nothing('contexts', 'The file has no context; Drydock needs one that names a cluster and a user.')
  if (!chosen && contexts.length > 1) {
    return {
      contexts,
      context: null,
      kept: [],
      refused: [{ field: 'contexts', sentence: `The file has ${contexts.length} contexts; choose one.` }],
    }
  }
  const context = chosen ?? contexts[0]!
  if (!contexts.includes(context)) {
    return {
      contexts,
      context: null,
      kept: [],
      refused: [{ field: 'contexts', sentence: `There is no context named ${context} in this file.` }],
    }
  }
  const pointer = named(raw.contexts, context, 'context')
  const cluster = named(raw.clusters, pointer?.cluster, 'cluster')
  const user = named(raw.users, pointer?.user, 'user')
  const refused: KubeconfigReading['refused'] = []
  if (!cluster)
    refused.push({ field: 'clusters', sentence: `The context ${context} names a cluster that the file does not have.` })
  if (!user)
    refused.push({ field: 'users', sentence: `The context ${context} names a user that the file does not have.` })
  if (!cluster || !user) return { contexts, context, kept: [], refused }
  refused.push(...refuseCluster(cluster), ...refuseUser(user))
  if (refused.length > 0) return { contexts, context, kept: [], refused }
  return rebuild(contexts, context, cluster, user)
}

function refuseCluster(cluster: Raw): KubeconfigReading['refused'] {
  const refused: KubeconfigReading['refused'] = []
  const no = (field: string, sentence: string) => refused.push({ field, sentence })
  if (cluster['insecure-skip-tls-verify'])
    no(
      'insecure-skip-tls-verify',
      'insecure-skip-tls-verify is not accepted: add certificate-authority-data so that Drydock knows whom it talks to.',
    )
  if (cluster['proxy-url']) no('proxy-url', 'proxy-url is not accepted: Drydock connects to the API server directly.')
  if (cluster['certificate-authority'])
    no(
      'certificate-authority',
      'certificate-authority points to a file that Drydock must not open: put its content into certificate-authority-data (kubectl config view --flatten --minify does).',
    )
  if (cluster['tls-server-name'])
    no('tls-server-name', 'tls-server-name is not accepted: use a server address that the certificate names.')
  if (typeof cluster.server !== 'string') no('server', 'The cluster has no server address.')
  else refused.push(...refuseServer(cluster.server))
  return refused
}

function refuseServer(server: string): KubeconfigReading['refused'] {
  let url: URL
  try {
    url = new URL(server)
  } catch {
    return [
      {
        field: 'server',
        sentence: `${server.slice(0, 80)} is not an address; it should look like https://api.example.com:6443.`,
      },
    ]
  }
  if (url.protocol !== 'https:') return [{ field: 'server', sentence: 'The server address must begin with https://.' }]
  if (url.username || url.password)
    return [{ field: 'server', sentence: 'The server address must not hold a user name or password.' }]
  if (url.search || url.hash)
    return [{ field: 'server', sentence: 'The server address must not have a query or fragment.' }]
  const why = refusedAddress(url.hostname)
  return why ? [{ field: 'server', sentence: `Drydock does not connect there: ${why}` }] : []
}

function refuseUser(user: Raw): KubeconfigReading['refused'] {
  const refused: KubeconfigReading['refused'] = []
  const no = (field: string, sentence: string) => refused.push({ field, sentence })
  if (user.exec)
    no(
      'exec',
      'exec runs a program on the machine that reads the file: not accepted. Use a token of a service account made for Drydock.',
    )
  if (user['auth-provider'])
    no('auth-provider', 'auth-provider plug-ins are not accepted. Use a token of a service account made for Drydock.')
  for (const field of ['client-certificate', 'client-key', 'tokenFile']) {
    if (user[field])
      no(
        field,
        `${field} points to a file that Drydock must not open: put its content into the kubeconfig (kubectl config view --flatten --minify does).`,
      )
  }
  if (user.username || user.password)
    no('username', 'User name and password are not accepted: Kubernetes removed them in 1.19. Use a token.')
  for (const field of ['as', 'as-groups', 'as-uid', 'as-user-extra']) {
    if (user[field]) no(field, `${field} (impersonation) is not accepted: give Drydock an identity of its own.`)
  }
  const hasToken = typeof user.token === 'string' && user.token.length > 0
  const hasCertificate =
    typeof user['client-certificate-data'] === 'string' && typeof user['client-key-data'] === 'string'
  if (refused.length === 0 && !hasToken && !hasCertificate)
    no('user', 'The user has neither a token nor an inline client certificate with its key.')
  return refused
}

/** Only what the allow-list names is written anew, and client-node reads that. */
function rebuild(contexts: string[], context: string, cluster: Raw, user: Raw): KubeconfigReading {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [
      {
        name: 'c',
        server: cluster.server as string,
        caData: text(cluster['certificate-authority-data']),
        skipTLSVerify: false,
      },
    ],
    users: [
      {
        name: 'u',
        token: text(user.token),
        certData: text(user['client-certificate-data']),
        keyData: text(user['client-key-data']),
      },
    ],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const [c, u] = [config.getCurrentCluster()!, config.getCurrentUser()!]
  const refused: KubeconfigReading['refused'] = []
  const pem = (field: string, data: string | undefined, kind: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined => {
    if (!data) return undefined
    const decoded = Buffer.from(data, 'base64').toString('utf8')
    const looksRight = new RegExp(`-----BEGIN ([A-Z]+ )?${kind}-----`).test(decoded)
    const ends = new RegExp(`-----BEGIN (?:[A-Z]+ )?${kind}-----\\s+[^-]+-----END (?:[A-Z]+ )?${kind}-----`).test(
      decoded,
    )
    if (!looksRight) refused.push({ field, sentence: `${field} is not a PEM ${kind.toLowerCase()} in base64.` })
    else if (!ends)
      refused.push({ field, sentence: `${field} is cut off: its PEM block begins and does not end. Copy it again.` })
    return decoded
  }
  const credentials: KubeCredentials = {
    server: c.server.replace(/\/+$/, ''),
    caPem: pem('certificate-authority-data', c.caData, 'CERTIFICATE'),
    token: u.token?.trim(),
    certPem: pem('client-certificate-data', u.certData, 'CERTIFICATE'),
    keyPem: pem('client-key-data', u.keyData, 'PRIVATE KEY'),
  }
  if (credentials.token && !/^[\x21-\x7e]+$/.test(credentials.token)) {
    refused.push({
      field: 'token',
      sentence: 'The token has characters that a header cannot carry; copy it again without line breaks.',
    })
  }
  if (refused.length > 0) return { contexts, context, kept: [], refused }
  const kept = [
    { what: 'server', value: credentials.server },
    {
      what: 'certificate authority',
      value: credentials.caPem ? 'inline, pinned' : 'none given: the system’s authorities are used',
    },
    {
      what: 'credentials',
      value: credentials.token
        ? 'bearer token (sealed, never shown again)'
        : 'client certificate and key (sealed, never shown again)',
    },
  ]
  return { contexts, context, kept, refused, credentials }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)
