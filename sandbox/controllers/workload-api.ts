import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import { makeCertificate } from '../apiserver/tls'
import type { SandboxObject, Store } from '../types'
import { AS } from './env'
import { json } from './kinds'
import { CLUSTERS, LABEL } from './names'
import type { Nodes } from './nodes'

/**
 * The API servers of the simulated workload clusters, as far as an updater needs them: one Node, read and merge
 * patched. Found as always in Cluster API, by the secret "<cluster>-kubeconfig" beside the Cluster.
 */
export async function startWorkloadApi(store: Store, nodes: Nodes, log: (line: string) => void = () => undefined) {
  const certificate = await makeCertificate()
  const token = randomBytes(24).toString('base64url')
  const expected = Buffer.from(`Bearer ${token}`)
  const server = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return void send(response, 401, {})
    answer(nodes, request, response).catch(() => send(response, 400, {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`

  const publish = async ({ metadata }: SandboxObject) => {
    const { namespace, name, uid } = metadata
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: `${base}/${namespace}/${name}`,
            'certificate-authority-data': Buffer.from(certificate.caPem).toString('base64'),
          },
        },
      ],
      users: [{ name: `${name}-admin`, user: { token } }],
      contexts: [{ name: `${name}-admin@${name}`, context: { cluster: name, user: `${name}-admin` } }],
      'current-context': `${name}-admin@${name}`,
    }
    const data = { value: Buffer.from(stringify(config)).toString('base64') }
    const key = `${namespace}/${name}-kubeconfig`
    if (store.get('secrets', key)) await store.merge('secrets', key, { data }, AS.controlPlane)
    else {
      const ownerReferences = [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid }]
      const meta = { name: `${name}-kubeconfig`, namespace, labels: { [LABEL.cluster]: name }, ownerReferences }
      const secret = { apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret', metadata: meta, data }
      await store.create('secrets', json(secret), AS.controlPlane)
    }
  }
  const failed = (error: unknown) => log(`kubeconfig secret: ${String(error)}`)
  const unsubscribe = store.subscribe(({ type, resource, key, object }) => {
    if (resource !== CLUSTERS) return
    if (type === 'ADDED') publish(object).catch(failed)
    if (type === 'DELETED') store.delete('secrets', `${key}-kubeconfig`, AS.controlPlane).catch(failed)
  })
  for (const cluster of store.list(CLUSTERS)) await publish(cluster)
  return {
    stop: async () => {
      unsubscribe()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(nodes: Nodes, request: IncomingMessage, response: ServerResponse) {
  const path = /^\/([^/]+)\/([^/]+)\/api\/v1\/nodes\/([^/?]+)$/.exec(request.url ?? '')
  const [, namespace = '', cluster = '', name = ''] = path ?? []
  if (!path || nodes.kubelet(namespace, cluster, name) === undefined) return send(response, 404, {})
  if (request.method === 'PATCH') {
    const body = JSON.parse(await read(request)) as {
      status?: { nodeInfo?: { kubeletVersion?: unknown }; conditions?: { type?: unknown; status?: unknown }[] }
    }
    const version = body.status?.nodeInfo?.kubeletVersion
    if (typeof version === 'string') nodes.setKubelet(namespace, cluster, name, version)
    const ready = body.status?.conditions?.find(({ type }) => type === 'Ready')
    if (ready) nodes.setSilent(namespace, cluster, name, ready.status !== 'True')
  } else if (request.method !== 'GET') return send(response, 405, {})
  const kubeletVersion = nodes.kubelet(namespace, cluster, name)
  const conditions = [{ type: 'Ready', status: nodes.isSilent(namespace, cluster, name) ? 'Unknown' : 'True' }]
  const status = { nodeInfo: { kubeletVersion }, conditions }
  send(response, 200, { apiVersion: 'v1', kind: 'Node', metadata: { name }, status })
}

function send(response: ServerResponse, code: number, body: object) {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > 65_536) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
