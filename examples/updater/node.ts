import { Agent, request } from 'undici'
import { parse } from 'yaml'
import type { Host } from './update'

interface Connection {
  server: string
  ca: string
  token?: string
  cert?: string
  key?: string
}

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string; 'certificate-authority-data'?: string } }[]
  users: { name: string; user: { token?: string; 'client-certificate-data'?: string; 'client-key-data'?: string } }[]
  contexts: { name: string; context: { cluster: string; user: string } }[]
  'current-context': string
}

const decode = (base64: string | undefined) =>
  base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString()

function connectionOf(text: string): Connection {
  const config = parse(text) as Kubeconfig
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster
  const user = config.users.find(({ name }) => name === context?.user)?.user
  if (!cluster || !user) throw new Error('the kubeconfig names no cluster or no user')
  return {
    server: cluster.server,
    ca: decode(cluster['certificate-authority-data']) ?? '',
    token: user.token,
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  }
}

async function call(at: Connection, method: 'GET' | 'PATCH', path: string, body?: object): Promise<unknown> {
  const { ca, cert, key, token } = at
  const agent = new Agent({ connect: { ca, cert, key } })
  try {
    const answer = await request(new URL(path, at.server.replace(/\/?$/, '/')), {
      method,
      dispatcher: agent,
      signal: AbortSignal.timeout(8_000),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/merge-patch+json' } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    })
    const text = await answer.body.text()
    // The body may hold a secret: only the code is said.
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}`)
    return JSON.parse(text)
  } finally {
    await agent.destroy()
  }
}

/**
 * Brings a Node's kubelet version up through the API of its workload cluster, found by the kubeconfig secret that
 * Cluster API keeps for every cluster. What a real updater reaches by restarting the kubelet, the in-memory provider
 * needs to be told.
 */
export function nodePatcher(managementKubeconfig: string): (host: Host) => Promise<void> {
  const write = nodeStatus(managementKubeconfig)
  return (host) => write(host, { nodeInfo: { kubeletVersion: host.version } })
}

/** Writes into the status of a machine's Node. */
export function nodeStatus(
  managementKubeconfig: string,
): (host: Omit<Host, 'version'>, status: object) => Promise<void> {
  const management = connectionOf(managementKubeconfig)
  return async ({ namespace, cluster, machine }, status) => {
    const secret = (await call(management, 'GET', `api/v1/namespaces/${namespace}/secrets/${cluster}-kubeconfig`)) as {
      data?: { value?: string }
    }
    const workload = connectionOf(decode(secret.data?.value) ?? '')
    const live = (await call(
      management,
      'GET',
      `apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/machines/${machine}`,
    )) as { status?: { nodeRef?: { name?: string } } }
    const node = live.status?.nodeRef?.name ?? machine
    await call(workload, 'PATCH', `api/v1/nodes/${node}`, { status })
  }
}
