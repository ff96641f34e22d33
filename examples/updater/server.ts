import type { AddressInfo } from 'node:net'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { canUpdate } from './can-update'
import { HOOKS, type HookRequest } from './types'
import { Updates, type Host } from './update'

export interface UpdaterOptions {
  host: string
  /** 0: the system chooses one */
  port: number
  tls: { keyPem: string; certPem: string }
  /** How long the work on one host takes. */
  delayMs: number
  /**
   * Called once when the work on a host is done. From Cluster API 1.14 on a machine counts as up to date only when its
   * Node reports the wanted kubelet version: a real updater restarts the kubelet, one for the in-memory provider
   * patches the Node (see node.ts).
   */
  onNode?: (host: Host) => Promise<void>
  /** What it says yes to, in the form of COVERED; absent: all of that. An updater for one part only stands beside others. */
  covers?: Record<string, string[]>
  /** Machines whose update fails, to see how that looks. */
  failing?: (machine: string) => boolean
  log?: (line: string) => void
}

export interface RunningUpdater {
  url: string
  stop(): Promise<void>
}

const HANDLERS = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine']
const MAX_BODY = 4 * 1024 * 1024

export async function startReferenceUpdater(options: UpdaterOptions): Promise<RunningUpdater> {
  const updates = new Updates(options.delayMs, options.onNode)
  const log = options.log ?? (() => undefined)

  const answer = async (hook: string, request: HookRequest): Promise<object> => {
    switch (hook) {
      case 'discovery':
        return {
          status: 'Success',
          handlers: HANDLERS.map((name) => ({
            name: name.toLowerCase(),
            requestHook: { apiVersion: HOOKS, hook: name },
            timeoutSeconds: 10,
            failurePolicy: 'Fail',
          })),
        }
      case 'canupdatemachine':
        return { status: 'Success', message: '', ...canUpdate(request, false, options.covers) }
      case 'canupdatemachineset':
        return { status: 'Success', message: '', ...canUpdate(request, true, options.covers) }
      default: {
        const machine = request.desired?.machine?.metadata.name ?? ''
        if (options.failing?.(machine))
          return { status: 'Failure', message: `cannot update ${machine}`, retryAfterSeconds: 0 }
        return updates.step(request)
      }
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const [, group, version, hook = ''] = new URL(request.url ?? '/', 'https://updater').pathname.split('/')
    const known = ['discovery', ...HANDLERS.map((name) => name.toLowerCase())]
    if (request.method !== 'POST' || `${group}/${version}` !== HOOKS || !known.includes(hook)) {
      return send(response, 404, { message: 'There is no such hook here.' })
    }
    const name = ['Discovery', ...HANDLERS].find((candidate) => candidate.toLowerCase() === hook) ?? hook
    try {
      const body = JSON.parse((await read(request)) || '{}') as HookRequest
      const result = await answer(hook, body)
      // Names only: the request carries a bootstrap token.
      log(`${name} ${body.desired?.machine?.metadata.name ?? body.desired?.machineSet?.metadata.name ?? ''}`.trim())
      send(response, 200, { apiVersion: HOOKS, kind: `${name}Response`, ...result })
    } catch (error) {
      const message = error instanceof SyntaxError ? 'The request is not JSON.' : `The update failed: ${String(error)}`
      log(`${name} failed: ${message}`)
      send(response, error instanceof SyntaxError ? 400 : 500, { message })
    }
  }

  const server = createServer({ key: options.tls.keyPem, cert: options.tls.certPem }, (request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `https://${host}:${port}/`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, code: number, body: object) {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('the request is larger than 4 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
