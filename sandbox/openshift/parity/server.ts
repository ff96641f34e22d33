import { Agent, request } from 'undici'
import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject } from '../../apiserver/schema'

/** An API server that serves MachineConfiguration, and a token that may do everything there. */
export interface Server {
  url: string
  caPem: string
  token: string
}

export interface Call {
  /** Default PATCH. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the collection of MachineConfigurations, or from the root where it begins with "/". Default "cluster". */
  path?: string
  /** Content type of a PATCH: a short name, or one in full. Default merge. */
  type?: 'merge' | 'json' | 'apply' | (string & {})
  body?: Json
  query?: Record<string, string>
  /** Who asks, in place of the administrator. */
  as?: string
  /** Default `parity/1`. */
  agent?: string
}

export interface Reply {
  code: number
  /** An answer that is no JSON object is the `text` of one. */
  body: JsonObject
  /** Texts of the Warning headers. */
  warnings: string[]
}

export type Ask = (call: Call) => Promise<Reply>

export const COLLECTION = '/apis/operator.openshift.io/v1/machineconfigurations'

const TYPES: Record<string, string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** Plain calls to a server; the answer is taken as it comes. */
export function connect(server: Server): { ask: Ask; close: () => Promise<void> } {
  const dispatcher = new Agent({ connect: { ca: server.caPem } })
  const ask: Ask = async ({ method = 'PATCH', path = 'cluster', type = 'merge', body, query = {}, as, agent }) => {
    const where = path.startsWith('/') ? path : path ? `${COLLECTION}/${path}` : COLLECTION
    const asked = new URLSearchParams(query).toString()
    const answer = await request(`${server.url}${where}${asked ? `?${asked}` : ''}`, {
      dispatcher,
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        'user-agent': agent ?? 'parity/1',
        ...(body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? (TYPES[type] ?? type) : 'application/json' }),
        ...(as ? { 'impersonate-user': as } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const { warning } = answer.headers
    const warnings = warning === undefined ? [] : [warning].flat().flatMap(textsOf)
    return { code: answer.statusCode, body: parsed(text), warnings }
  }
  return { ask, close: () => dispatcher.destroy() }
}

function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : { text }
  } catch {
    return { text }
  }
}

/** Warnings of one header, which may hold several: `299 - "…", 299 - "…"`. */
const textsOf = (header: string): string[] =>
  [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) => JSON.parse(quoted!) as string)
