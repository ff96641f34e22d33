import { request } from 'node:https'
import { parse } from 'yaml'
import { readStack } from '../support/constants'

/** A small client of the API server, as another person has it: it goes past Drydock. */
export interface KubeObject {
  metadata: { name: string; namespace?: string; resourceVersion: string; annotations?: Record<string, string> }
  spec: Record<string, unknown>
  status?: Record<string, unknown>
}
export interface Answer {
  code: number
  body: KubeObject & { message?: string; items?: KubeObject[] }
}
type Body = Record<string, unknown>

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { token?: string; 'client-certificate-data'?: string; 'client-key-data'?: string } }]
}
const plain = (base64: string | undefined): Buffer | undefined => (base64 ? Buffer.from(base64, 'base64') : undefined)

export class Cluster {
  private readonly read: Kubeconfig
  constructor(kubeconfig: string) {
    this.read = parse(kubeconfig) as Kubeconfig
  }

  call(method: string, path: string, body?: Body, type = 'application/json'): Promise<Answer> {
    const { server, 'certificate-authority-data': ca } = this.read.clusters[0].cluster
    const { token, 'client-certificate-data': cert, 'client-key-data': key } = this.read.users[0].user
    return new Promise((resolve, reject) => {
      const headers = {
        accept: 'application/json',
        'content-type': type,
        ...(token && { authorization: `Bearer ${token}` }),
      }
      const options = { method, headers, ca: plain(ca), cert: plain(cert), key: plain(key) }
      const sent = request(server + path, options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ code: answer.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }))
      })
      sent.on('error', reject).end(body && JSON.stringify(body))
    })
  }

  async get(path: string): Promise<KubeObject> {
    return this.good(await this.call('GET', path))
  }
  async list(path: string): Promise<KubeObject[]> {
    return (this.good(await this.call('GET', path)) as Answer['body']).items ?? []
  }
  async create(path: string, body: Body): Promise<KubeObject> {
    return this.good(await this.call('POST', path, body))
  }
  async merge(path: string, body: Body): Promise<KubeObject> {
    return this.good(await this.call('PATCH', path, body, 'application/merge-patch+json'))
  }
  async remove(path: string): Promise<void> {
    await this.call('DELETE', path)
  }
  private good({ code, body }: Answer): KubeObject {
    if (code >= 300) throw new Error(`The API server answered ${code}: ${body.message}`)
    return body
  }
}

/** The administrator of a management cluster of the stack. */
export function administrator(name: 'atlas' | 'tidal'): Cluster {
  const found = readStack().clusters.find((cluster) => cluster.name === name)
  if (!found) throw new Error(`The stack has no cluster ${name}.`)
  return new Cluster(found.adminKubeconfig)
}
