import { Agent, type Dispatcher } from 'undici'
import type { Json } from '@/lib/domain/json'
import { guardedLookup, refusedAddress } from './addresses'
import { KubeError, KubeUnreachable, type CallOptions, type KubeCredentials, type Status } from './types'

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Json
  contentType?: string
  accept?: string
  /** A watch: no time-out of ours on the body, the watch has its own rule. */
  endless?: boolean
}

export interface Transport {
  readonly server: string
  /** An answer with a 2xx code; everything else is thrown as KubeError or KubeUnreachable. */
  send(call: Call, options?: CallOptions): Promise<Dispatcher.ResponseData>
  json(call: Call, options?: CallOptions): Promise<{ body: Json; warnings: string[] }>
  close(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000
const MAX_BODY_BYTES = 128 * 1024 * 1024

/** HTTPS to one API server: one agent, kept-alive connections, pinned authority, who we are. */
export function createTransport(credentials: KubeCredentials): Transport {
  const base = new URL(credentials.server)
  const refused = refusedAddress(base.hostname)
  if (refused) throw new KubeUnreachable(`Drydock does not connect there: ${refused}`, 'connect')
  const prefix = base.pathname.replace(/\/+$/, '')
  const agent = new Agent({
    connect: {
      ca: credentials.caPem,
      cert: credentials.certPem,
      key: credentials.keyPem,
      timeout: 10_000,
      lookup: guardedLookup,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
    },
    keepAliveTimeout: 60_000,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  })
  const send = async (call: Call, options: CallOptions = {}): Promise<Dispatcher.ResponseData> => {
    const name = `${call.method} ${call.path.split('?')[0]}`
    const timeout = call.endless ? undefined : AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const signals = [options.signal, timeout].filter((s) => s !== undefined)
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
    let answer: Dispatcher.ResponseData
    try {
      answer = await agent.request({
        origin: base.origin,
        path: prefix + call.path,
        method: call.method,
        headers: headersOf(credentials, call, options),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        bodyTimeout: call.endless ? 0 : undefined,
        signal,
      })
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
      throw await refusal(answer, name)
    } catch (error) {
      throw translate(error, name, options.signal)
    }
  }
  const json = async (call: Call, options?: CallOptions) => {
    const answer = await send(call, options)
    const name = `${call.method} ${call.path.split('?')[0]}`
    const text = await bodyText(answer, name, options?.signal)
    return { body: parseJson(text, name), warnings: warningsOf(answer.headers.warning) }
  }
  // destroy, not close: close would wait for watches that never end.
  return { server: credentials.server, send, json, close: () => agent.destroy() }
}

function headersOf(credentials: KubeCredentials, call: Call, options: CallOptions): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    accept: call.accept ?? 'application/json',
    'user-agent': 'drydock',
  }
  if (credentials.token) headers.authorization = `Bearer ${credentials.token}`
  if (call.body !== undefined) headers['content-type'] = call.contentType ?? 'application/json'
  if (options.impersonate) {
    headers['impersonate-user'] = options.impersonate.user
    if (options.impersonate.groups.length) headers['impersonate-group'] = options.impersonate.groups
  }
  return headers
}

async function refusal(answer: Dispatcher.ResponseData, name: string): Promise<KubeError> {
  const text = await bodyText(answer, name).catch(() => '')
  return new KubeError(answer.statusCode, statusFrom(text, answer.statusCode), name)
}

/** The server's own Status where it sent one, else what it did say (a proxy's page, plain text). */
function statusFrom(text: string, code: number): Status {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && (body as Status).kind === 'Status')
      return { ...(body as Status), code }
  } catch {
    // not JSON: said below
  }
  const said = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 500)
  return { kind: 'Status', code, message: said || `The server answered HTTP ${code} without an explanation.` }
}

/** Reads a whole answer; more than 128 MiB is refused rather than held. */
export async function bodyBytes(answer: Dispatcher.ResponseData, name: string, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer.body) {
      size += (chunk as Buffer).length
      if (size > MAX_BODY_BYTES) throw new KubeUnreachable('The answer is larger than 128 MiB.', name)
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw translate(error, name, signal)
  }
  return Buffer.concat(chunks)
}

async function bodyText(answer: Dispatcher.ResponseData, name: string, signal?: AbortSignal): Promise<string> {
  return (await bodyBytes(answer, name, signal)).toString('utf8')
}

function parseJson(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new KubeUnreachable('The answer is not complete JSON; is something between Drydock and the API server?', name)
  }
}

/** `299 - "unknown field \"spec.x\""`, several in one header. */
function warningsOf(header: string | string[] | undefined): string[] {
  const text = [header ?? []].flat().join(', ')
  return [...text.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!.replace(/\\(.)/g, '$1'))
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens at the server address (connection refused).',
  ENOTFOUND: 'The name of the server is not known (DNS).',
  EAI_AGAIN: 'The name of the server could not be looked up (DNS does not answer).',
  EHOSTUNREACH: 'There is no route to the server.',
  ENETUNREACH: 'There is no route to the server’s network.',
  ETIMEDOUT: 'The server did not answer in time.',
  ECONNRESET: 'The connection was cut.',
  EPIPE: 'The connection was cut.',
  UND_ERR_SOCKET: 'The connection was cut.',
  UND_ERR_CONNECT_TIMEOUT: 'The server did not accept a connection in time.',
  UND_ERR_HEADERS_TIMEOUT: 'The server did not answer in time.',
  UND_ERR_BODY_TIMEOUT: 'The server stopped in the middle of its answer.',
}

/** Of a client that was closed. */
const CLOSED = ['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']

/** Something answers, and it is not known to be the server. */
const UNTRUSTED: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'The server’s certificate is signed by an authority that the kubeconfig does not name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The server’s certificate is self-signed and not the one that the kubeconfig names.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The server’s certificate is signed by an authority that the kubeconfig does not name.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The server’s certificate is signed by an authority that the kubeconfig does not name.',
  CERT_SIGNATURE_FAILURE: 'The server’s certificate is signed by an authority that the kubeconfig does not name.',
  CERT_HAS_EXPIRED: 'The server’s certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The server’s certificate does not name the server address.',
}

/** Every failure to get an answer as KubeUnreachable, with a sentence; the caller's own abort stays what it is. */
export function translate(error: unknown, name: string, caller?: AbortSignal): unknown {
  if (error instanceof KubeError || error instanceof KubeUnreachable) return error
  if (caller?.aborted) return caller.reason
  const { code, cause, message, name: kind } = error as Error & { code?: string; cause?: { code?: string } }
  if (kind === 'TimeoutError') return new KubeUnreachable(SENTENCES.ETIMEDOUT!, name)
  const codes = [code, cause?.code].filter((c) => c !== undefined)
  const untrusted = codes.find((c) => c in UNTRUSTED)
  if (untrusted) return new KubeUnreachable(UNTRUSTED[untrusted]!, name, true)
  if (codes.some((c) => CLOSED.includes(c)))
    return new KubeUnreachable('The connection was closed by Drydock.', name, false, true)
  const known = codes.find((c) => c in SENTENCES)
  return new KubeUnreachable(known ? SENTENCES[known]! : `No answer from the server: ${message}`, name)
}
