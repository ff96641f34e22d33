import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, safeText } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { handleLatchReview } from '../latch-webhook'
import { isAsking, isTelling } from '@/lib/services/upgrades/lifecycle'
import { log as workerLog, type Log } from '../log'
import { answerCanUpdate } from './answer-can-update'
import { answerAsked, answerTold } from './answer-lifecycle'
import { answerUpdate } from './answer-update'
import { hasShownOne } from './client-certificates'
import { BUDGET_MS, DISCOVERY, HANDLED, Hold, HOOKS, type Handled } from './constants'
import { GateLog, type Answered } from './record'
import { authenticated } from './token'

const MAX_BYTES = 4 * 1024 * 1024
/** What requests without a token may keep in memory, all together: the latch is asked by API servers, which have none. */
const STRANGERS_BYTES = 64 * 1024 * 1024
const NO_CERTIFICATE =
  'whoever asks has to show a client certificate that is trusted here (--runtime-extension-client-cert-file of the manager)'
const UNREADABLE = 'the request is not JSON, or larger than 4 MiB'
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const PATH = new RegExp(
  `^(?:/c/(${UUID})/([A-Za-z0-9_-]{16,128}))?/${HOOKS.replace('.', '\\.')}/([a-z]+)(?:/[a-z0-9-]+)?$`,
)

export interface Material {
  certPem: string
  keyPem: string
}

export interface GateServer {
  port: number
  renew(material: Material): void
  /** Of managers' client certificates, where they are asked for. */
  trust(clientCa: string): void
  stop(): Promise<void>
}

/** The HTTPS side of the gate: routes, limits, and one rule: whatever goes wrong is an error, never a Success. */
export async function serveGate(options: {
  host: string
  port: number
  material: Material
  /** Authorities of the client certificates that managers have to show; null: none are asked for. */
  clientCa?: string | null
  log?: Log
}): Promise<GateServer> {
  const log = options.log ?? workerLog
  const calls = new GateLog((error) => log.warn({ err: error }, 'gate calls could not be recorded'))
  let { material, clientCa = null } = options
  const asksClients = clientCa !== null
  const context = () => ({
    ...{ cert: material.certPem, key: material.keyPem, minVersion: 'TLSv1.2' as const },
    ...(clientCa === null ? {} : { ca: clientCa }),
  })
  // API servers have no certificate for this, and ask about the latch all the same: who has to show one is said by path.
  const asked = { requestCert: asksClients, rejectUnauthorized: false }
  // Who says nothing keeps a place from nobody for long: Node.js waits two minutes for a handshake, and looks twice a minute at the rest.
  const tls = { ...context(), ...asked, handshakeTimeout: 5_000, connectionsCheckingInterval: 5_000 }
  const server: Server = createServer(tls, (request, response) => {
    void route(request, calls, log, asksClients)
      .catch((error: unknown) => {
        log.error({ err: error }, 'the gate failed; it answered with an error')
        return { code: 500, body: failure('internal error of Drydock') }
      })
      .then(({ code, body }) => send(response, code, body))
  })
  server.requestTimeout = 30_000
  server.headersTimeout = 10_000
  server.maxConnections = 512
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  server.on('error', (error) => log.error({ err: error }, 'the gate’s socket failed'))
  // Scanners and half-open connections are no errors of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    // New connections get the new certificate; those that are open stay.
    renew: (renewed) => {
      material = renewed
      server.setSecureContext(context())
    },
    trust: (authorities) => {
      clientCa = authorities
      server.setSecureContext(context())
    },
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await calls.flush()
    },
  }
}

interface Sent {
  code: number
  body: JsonObject
}

const failure = (message: string, kind = 'DiscoveryResponse'): JsonObject => ({
  apiVersion: HOOKS,
  kind,
  status: 'Failure',
  message: `drydock: ${message}`,
})

function send(response: ServerResponse, code: number, body: JsonObject): void {
  if (response.headersSent || response.destroyed) return
  const text = JSON.stringify(body)
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    // What is left of a body that nobody reads must not be taken for the next request.
    ...(response.req.complete ? {} : { connection: 'close' }),
  })
  response.end(text)
}

async function route(request: IncomingMessage, calls: GateLog, log: Log, asksClients: boolean): Promise<Sent> {
  const path = (request.url ?? '').split('?')[0]!
  if (request.method === 'GET' && path === '/healthz') return { code: 200, body: { status: 'ok' } }
  if (request.method !== 'POST') return { code: 405, body: failure('only POST is answered here') }
  const match = PATH.exec(path)
  if (!match && !/\/latch$/.test(path)) return { code: 404, body: failure('there is nothing at this path') }
  // A constant for everybody: it tells nothing, and it must never depend on a database.
  if (match?.[3] === 'discovery') {
    request.resume()
    return { code: 200, body: DISCOVERY }
  }
  if (!match) {
    const review = await read(request, strangers)
    if (!review) return { code: 400, body: failure(UNREADABLE) }
    return { code: 200, body: handleLatchReview(review) as unknown as JsonObject }
  }
  const [, clusterId, token, name] = match
  const hook = HANDLED.find((h) => h.toLowerCase() === name)
  if (!hook) return { code: 404, body: failure('this hook is not handled') }
  if (!clusterId || !token)
    return { code: 403, body: failure('the address names no management cluster', `${hook}Response`) }
  if (asksClients && !hasShownOne(request)) return { code: 403, body: failure(NO_CERTIFICATE, `${hook}Response`) }
  const answered = await within(BUDGET_MS, answer(clusterId, token, hook, request, log))
  if (answered.record) calls.add(clusterId, hook, answered.record)
  return { code: answered.code, body: answered.response }
}

type Answer = { code: number; response: JsonObject } & Partial<Pick<Answered, 'record'>>

/** The token first: what a stranger sends is not kept in memory. */
async function answer(
  clusterId: string,
  token: string,
  hook: Handled,
  request: IncomingMessage,
  log: Log,
): Promise<Answer> {
  const kind = `${hook}Response`
  try {
    if (!(await authenticated(clusterId, token)))
      return { code: 403, response: failure('the address is not one that Drydock gave out', kind) }
    const body = await read(request)
    if (!body) return { code: 400, response: failure(UNREADABLE, kind) }
    return { code: 200, ...(await answerTo(clusterId, hook, body)) }
  } catch (error) {
    if (error instanceof Hold) {
      const { failed, changeId, group, machine } = error.about
      const message = safeText(error.message)
      return {
        code: 200,
        response: failure(message, kind),
        record: { changeId, group, machine, answer: failed ? 'failed' : 'held', message },
      }
    }
    log.warn({ err: error, hook }, 'the gate could not decide; it held')
    return { code: 500, response: failure('cannot read its decisions now', kind) }
  }
}

function answerTo(clusterId: string, hook: Handled, body: JsonObject): Promise<Answered> | Answered {
  if (hook === 'UpdateMachine') return answerUpdate(clusterId, body)
  if (isAsking(hook)) return answerAsked(clusterId, hook, body)
  if (isTelling(hook)) return answerTold(hook, body)
  return answerCanUpdate(clusterId, hook, body)
}

/** No question is left without an answer for longer than the managers wait. */
async function within(ms: number, work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve({ code: 500, response: failure('did not decide in time') }), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const strangers = { kept: 0 }

async function read(request: IncomingMessage, budget?: { kept: number }): Promise<JsonObject | null> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      const { length } = chunk as Buffer
      size += length
      if (budget) budget.kept += length
      if (size > MAX_BYTES || (budget && budget.kept > STRANGERS_BYTES)) return null
      chunks.push(chunk as Buffer)
    }
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return isObject(value) ? value : null
  } catch {
    return null
  } finally {
    if (budget) budget.kept -= size
  }
}
