import { Agent, request } from 'undici'
import type { JsonObject } from '../../../lib/domain/json'
import { startApiServer, type ApiServerOptions, type RunningApiServer } from '../index'

export interface Reply {
  code: number
  /** The body as JSON, or as it came where it is none. */
  body: JsonObject & { metadata: JsonObject; message?: string }
  text: string
  type: string
  warning: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
  body: 'application/json',
}

/** A server and plain HTTPS calls to it. */
export async function startTestServer(options: ApiServerOptions = {}) {
  const server = await startApiServer({ namespaces: ['fleet'], bookmarkMs: 50, ...options })
  const agent = new Agent({ connect: { ca: server.caPem } })
  const call = async (
    method: Method,
    path: string,
    body?: unknown,
    type: keyof typeof TYPES = 'merge',
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const answer = await request(server.url + path, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${server.users.admin!.token}`,
        'user-agent': 'tester/1.0',
        ...(body === undefined ? {} : { 'content-type': TYPES[method === 'PATCH' ? type : 'body'] }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const { 'content-type': sent, warning } = answer.headers
    return { code: answer.statusCode, text, type: String(sent), warning: String(warning ?? ''), body: parse(text) }
  }
  const as = (user: string) => ({ authorization: `Bearer ${server.users[user]!.token}` })
  const stop = async () => {
    await agent.destroy()
    await server.stop()
  }
  return { server, agent, call, as, stop, watch: (path: string) => watch(server, agent, path) }
}

function parse(text: string): Reply['body'] {
  try {
    return JSON.parse(text) as Reply['body']
  } catch {
    return { metadata: {} }
  }
}

export interface Event {
  type: string
  object: JsonObject & { metadata: { name?: string; resourceVersion: string }; code?: number }
}

/** An open watch whose lines are awaited one by one. */
async function watch(server: RunningApiServer, agent: Agent, path: string) {
  const answer = await request(server.url + path, {
    dispatcher: agent,
    headers: { authorization: `Bearer ${server.users.admin!.token}` },
    bodyTimeout: 0,
  })
  const lines = read(answer.body)
  return {
    /** The next event, bookmarks left out unless wanted; undefined when the watch has ended. */
    async next(bookmarks = false): Promise<Event | undefined> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) return undefined
        const event = JSON.parse(value) as Event
        if (bookmarks || event.type !== 'BOOKMARK') return event
      }
    },
    raw: () => lines.next(),
    close: () => answer.body.destroy(),
  }
}

async function* read(body: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = ''
  for await (const chunk of body) {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) yield part
  }
  if (rest) yield rest
}

export const MDS = '/apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/machinedeployments'
export const KCPS = '/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/fleet/kubeadmcontrolplanes'

export const machineDeployment = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name },
  spec: {
    clusterName: 'c1',
    template: {
      spec: {
        clusterName: 'c1',
        version: 'v1.34.0',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachineTemplate', name: 'small' },
      },
    },
    ...spec,
  },
})

export const controlPlane = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name },
  spec: {
    replicas: 3,
    version: 'v1.34.0',
    kubeadmConfigSpec: { clusterConfiguration: { apiServer: {} } },
    machineTemplate: {
      spec: {
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachineTemplate', name: 'small' },
      },
    },
    ...spec,
  },
})
