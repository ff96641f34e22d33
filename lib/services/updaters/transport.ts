import { Agent } from 'undici'
import { isObject, safeText } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { guardedLookup, refusedAddress } from '@/lib/kubernetes/addresses'

export const HOOKS = 'hooks.runtime.cluster.x-k8s.io/v1alpha1'
export type Hook = 'CanUpdateMachine' | 'CanUpdateMachineSet' | 'UpdateMachine'

/** A user's Runtime Extension as it is stored. */
export interface UpdaterTarget {
  /** Of the stored one; absent: it is only tried out. */
  id?: string
  name: string
  url: string
  caPem: string
}

export interface Handler {
  name: string
  hook: string
}

/** The updater could not be asked, or did not answer as a Runtime Extension does. The message is safe to show. */
export class UpdaterError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UpdaterError'
  }
}

const MAX_BYTES = 4 * 1024 * 1024
const agents = new Map<string, Agent>()
const MOST_AGENTS = 64
const handlers = new Map<string, { at: number; list: Handler[] }>()
const HANDLERS_MS = 60_000

const keyOf = ({ url, caPem }: UpdaterTarget): string => `${url}\n${caPem}`

function agentFor(updater: UpdaterTarget): Agent {
  const key = keyOf(updater)
  let agent = agents.get(key)
  if (!agent) {
    agent = new Agent({
      connect: { ca: updater.caPem, timeout: 5_000, lookup: guardedLookup },
      keepAliveTimeout: 10_000,
    })
    agents.set(key, agent)
    // Of updaters that were removed or moved; a question under way is finished.
    const [oldest] = agents
    if (agents.size > MOST_AGENTS && oldest) {
      agents.delete(oldest[0])
      handlers.delete(oldest[0])
      void oldest[1].close()
    }
  }
  return agent
}

/** Ends the connections to all updaters, for an orderly stop and for tests. */
export async function closeUpdaters(): Promise<void> {
  const all = [...agents.values()]
  agents.clear()
  handlers.clear()
  await Promise.all(all.map((agent) => agent.destroy()))
}

async function post(updater: UpdaterTarget, path: string, body: JsonObject, timeoutMs: number): Promise<JsonObject> {
  const base = new URL(updater.url)
  const refused = refusedAddress(base.hostname)
  if (refused)
    throw new UpdaterError(`The updater ${updater.name} has an address that Drydock does not call: ${refused}`)
  const seconds = Math.max(1, Math.floor(timeoutMs / 1000))
  try {
    const answer = await agentFor(updater).request({
      origin: base.origin,
      path: `${base.pathname.replace(/\/+$/, '')}/${HOOKS}/${path}?timeout=${seconds}s`,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await limited(answer.body, updater.name)
    if (answer.statusCode !== 200)
      throw new UpdaterError(`The updater ${updater.name} answered HTTP ${answer.statusCode}: ${safeText(text, 200)}`)
    const parsed: unknown = JSON.parse(text)
    if (!isObject(parsed)) throw new UpdaterError(`The updater ${updater.name} did not answer with a JSON object.`)
    return parsed
  } catch (error) {
    if (error instanceof UpdaterError) throw error
    const { name, code } = error as Error & { code?: string }
    if (name === 'TimeoutError') throw new UpdaterError(`The updater ${updater.name} did not answer in time.`)
    if (error instanceof SyntaxError) throw new UpdaterError(`The updater ${updater.name} did not answer with JSON.`)
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
      throw new UpdaterError(`What answers for the updater ${updater.name} does not speak TLS.`)
    throw new UpdaterError(`The updater ${updater.name} cannot be reached${code ? ` (${code})` : ''}.`)
  }
}

async function limited(body: AsyncIterable<Buffer>, name: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new UpdaterError(`The updater ${name} answered with more than 4 MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Asks anew what it can be asked, the next time; without an updater: what any of them can be. */
export function forgetHandlers(updater?: UpdaterTarget): void {
  if (updater) handlers.delete(keyOf(updater))
  else handlers.clear()
}

/** What the updater can be asked, from its own discovery. */
export async function discover(updater: UpdaterTarget, timeoutMs = 5_000): Promise<Handler[]> {
  const known = handlers.get(keyOf(updater))
  if (known && Date.now() - known.at < HANDLERS_MS) return known.list
  const answer = await post(updater, 'discovery', { apiVersion: HOOKS, kind: 'DiscoveryRequest' }, timeoutMs)
  if (answer.status !== 'Success')
    throw new UpdaterError(
      `The updater ${updater.name} refuses discovery: ${safeText(String(answer.message ?? ''), 200)}`,
    )
  const list = (Array.isArray(answer.handlers) ? answer.handlers : []).flatMap((handler) => {
    if (!isObject(handler) || typeof handler.name !== 'string' || !isObject(handler.requestHook)) return []
    return [{ name: handler.name, hook: String(handler.requestHook.hook) }]
  })
  handlers.set(keyOf(updater), { at: Date.now(), list })
  return list
}

/** Asks the updater one hook. Null: it has no handler for it. A `Failure` answer is thrown with its message. */
export async function ask(
  updater: UpdaterTarget,
  hook: Hook,
  request: JsonObject,
  timeoutMs: number,
): Promise<JsonObject | null> {
  const until = Date.now() + timeoutMs
  const handler = (await discover(updater, timeoutMs)).find((h) => h.hook === hook)
  if (!handler) return null
  const left = until - Date.now()
  if (left <= 0) throw new UpdaterError(`The updater ${updater.name} did not answer in time.`)
  let answer: JsonObject
  try {
    answer = await post(updater, `${hook.toLowerCase()}/${handler.name.toLowerCase()}`, request, left)
  } catch (error) {
    handlers.delete(keyOf(updater))
    throw error
  }
  const { status, message } = answer
  if (status === 'Success') return answer
  if (status !== 'Failure')
    throw new UpdaterError(`The updater ${updater.name} answered without status: it has to be Success or Failure.`)
  const words = typeof message === 'string' && message ? message : 'no, without a word why'
  throw new UpdaterError(`The updater ${updater.name} says: ${safeText(words, 300)}`)
}
