import { Agent, request } from 'undici'
import { guardedLookup, refusedAddress } from '@/lib/kubernetes/addresses'
import type { Target } from './target'

/** Less than a worker that stops has. */
const TIMEOUT_MS = 8_000
const agent = new Agent({ connect: { timeout: 5_000, lookup: guardedLookup }, keepAliveTimeout: 5_000 })

export interface Posted {
  ok: boolean
  /** Safe to show: neither the address nor what was answered, which may repeat a secret. */
  result: string
  ms: number
}

/** Posts one message. A redirect is not followed: it may lead anywhere. */
export async function post({ url, token }: Target, body: unknown): Promise<Posted> {
  const began = performance.now()
  const told = (ok: boolean, result: string): Posted => ({ ok, result, ms: Math.round(performance.now() - began) })
  const refused = refusedAddress(new URL(url).hostname)
  if (refused) return told(false, `Drydock does not call this address: ${refused}`)
  try {
    const answer = await request(url, {
      ...{ method: 'POST', dispatcher: agent, signal: AbortSignal.timeout(TIMEOUT_MS) },
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    })
    // Nothing of it is of use, and it may be endless.
    answer.body.on('error', () => undefined).destroy()
    const { statusCode } = answer
    return told(statusCode >= 200 && statusCode < 300, `HTTP ${statusCode}`)
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string }
    if (name === 'TimeoutError') return told(false, 'no answer in time')
    return told(false, code === 'EREFUSED' ? message : `cannot be reached${code ? ` (${code})` : ''}`)
  }
}
