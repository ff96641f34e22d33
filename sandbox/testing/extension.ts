import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { nodePatcher } from '../../examples/updater'
import { canUpdate } from '../../examples/updater/can-update'
import type { HookRequest } from '../../examples/updater/types'
import { makeCertificate } from '../apiserver/tls'
import type { JsonObject } from '../../lib/domain/json'
import type { RunningSandbox, WriteAs } from '../types'

export const ADMIN: WriteAs = { user: 'admin', groups: ['system:masters'], fieldManager: 'kubectl' }
export const EXTENSIONS = 'extensionconfigs.runtime.cluster.x-k8s.io'
const HOOKS = 'hooks.runtime.cluster.x-k8s.io/v1alpha1'

export type Mode = 'yes' | 'no' | 'hold' | 500 | 'empty'

/** A Runtime Extension whose answers tests choose, and that remembers what it was asked. */
export async function scriptedExtension(sandbox: RunningSandbox, mode: Mode = 'yes') {
  const certificate = await makeCertificate()
  const onNode = nodePatcher(sandbox.adminKubeconfig)
  const asked: { hook: string; request: HookRequest }[] = []
  const script = { mode, update: 'done' as 'done' | 'failure' | 'running' }
  const decide = async (hook: string, request: HookRequest): Promise<[number, object]> => {
    if (hook === 'discovery') {
      const handlers = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine'].map((name) => ({
        name: name.toLowerCase(),
        requestHook: { apiVersion: HOOKS, hook: name },
      }))
      return [200, { status: 'Success', handlers }]
    }
    asked.push({ hook, request })
    if (hook === 'updatemachine') {
      if (script.update === 'failure') return [200, { status: 'Failure', message: 'no', retryAfterSeconds: 0 }]
      if (script.update === 'running') return [200, { status: 'Success', message: 'patching', retryAfterSeconds: 1 }]
      const machine = request.desired?.machine
      await onNode({
        namespace: machine?.metadata.namespace ?? '',
        cluster: machine?.metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '',
        machine: machine?.metadata.name ?? '',
        version: String(machine?.spec?.version),
      })
      return [200, { status: 'Success', message: '', retryAfterSeconds: 0 }]
    }
    if (script.mode === 500) return [500, { message: 'exploded' }]
    if (script.mode === 'empty') return [200, {}]
    if (script.mode === 'hold') return [200, { status: 'Failure', message: 'waiting for approval' }]
    return [
      200,
      { status: 'Success', ...(script.mode === 'yes' ? canUpdate(request, hook === 'canupdatemachineset') : {}) },
    ]
  }
  const server = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const hook = (request.url ?? '').split('?')[0]?.split('/')[3] ?? ''
      decide(hook, JSON.parse(Buffer.concat(chunks).toString()) as HookRequest).then(
        ([code, body]) => response.writeHead(code).end(JSON.stringify(body)),
        () => response.destroy(),
      )
    })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const caBundle = Buffer.from(certificate.caPem).toString('base64')
  return {
    asked,
    script,
    questions: (hook: string) => asked.filter((a) => a.hook === hook).length,
    async register(name: string, spec: JsonObject = {}) {
      const object = {
        apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
        kind: 'ExtensionConfig',
        metadata: { name },
        spec: { clientConfig: { url, caBundle }, ...spec },
      }
      await sandbox.store.create(EXTENSIONS, object, ADMIN)
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
