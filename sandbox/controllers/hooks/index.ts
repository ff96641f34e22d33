import type { JsonObject } from '../../../lib/domain/json'
import type { Store } from '../../types'
import type { ExtensionConfig, Handler } from '../kinds'
import { EXTENSION_CONFIGS } from '../names'
import { call, HOOKS_VERSION, HookError } from './client'
import { matches } from './selector'

interface Registered {
  handler: Handler
  extension: string
}

/** The registry of Runtime Extension handlers and the calls to them, with the semantics of Cluster API's own client. */
export class Hooks {
  private readonly handlers = new Map<string, Handler[]>()
  /** Extensions that were there when we started and have not answered discovery since. */
  private readonly cold: Set<string>

  constructor(private readonly store: Store) {
    this.cold = new Set(store.list(EXTENSION_CONFIGS).map((extension) => extension.metadata.name))
  }

  async discover(extension: ExtensionConfig): Promise<Handler[]> {
    const { name } = extension.metadata
    const answer = await call(extension, 'Discovery', undefined, 10, {})
    if (answer.status !== 'Success') throw new HookError(`got failure response with message: ${answer.message ?? ''}`)
    const found = (Array.isArray(answer.handlers) ? answer.handlers : []) as unknown as Partial<Handler>[]
    const handlers = found.map((handler): Handler => {
      if (!handler.name || !handler.requestHook) throw new HookError('the discovery answer has a handler without name')
      return {
        name: `${handler.name}.${name}`,
        requestHook: handler.requestHook,
        timeoutSeconds: handler.timeoutSeconds ?? 10,
        failurePolicy: handler.failurePolicy ?? 'Fail',
      }
    })
    this.handlers.set(name, handlers)
    this.cold.delete(name)
    return handlers
  }

  forget(extension: string) {
    this.handlers.delete(extension)
    this.cold.delete(extension)
  }

  /** Handlers for this hook in this namespace. Throws where the registry is not complete yet: nothing is decided then. */
  private registered(hook: string, namespace: string): Registered[] {
    if (this.cold.size > 0) throw new HookError('List cannot be called on a registry which has not been warmed up')
    const labels = this.store.get('namespaces', namespace)?.metadata.labels ?? {}
    return [...this.handlers].flatMap(([extension, handlers]) => {
      const config = this.config(extension)
      if (!config || !matches(config.spec.namespaceSelector, labels)) return []
      return handlers.filter((h) => h.requestHook.hook === hook).map((handler) => ({ handler, extension }))
    })
  }

  private config(extension: string) {
    return this.store.get(EXTENSION_CONFIGS, extension) as unknown as ExtensionConfig | undefined
  }

  /** The only handler; undefined where there is none. More than one is an error. */
  only(hook: string, namespace: string): Registered | undefined {
    const found = this.registered(hook, namespace)
    if (found.length > 1) {
      const names = found.map(({ handler }) => handler.name).sort()
      throw new HookError(`found multiple ${hook} hooks (${names.join(',')}): only one hook is supported`)
    }
    return found[0]
  }

  /** The answer of the only handler; undefined where there is none. */
  async ask(hook: string, namespace: string, request: JsonObject): Promise<JsonObject | undefined> {
    const only = this.only(hook, namespace)
    return only && this.callHandler(only, hook, request)
  }

  /** Lifecycle hooks may have several handlers: all are asked in turn, and the first that fails ends it. */
  async all(hook: string, namespace: string, request: JsonObject): Promise<{ seconds: number; message: string }> {
    const answers: JsonObject[] = []
    for (const handler of this.registered(hook, namespace)) answers.push(await this.callHandler(handler, hook, request))
    const waits = answers.flatMap(({ retryAfterSeconds: s }) => (typeof s === 'number' && s > 0 ? [s] : []))
    const messages = answers.flatMap(({ message }) => (typeof message === 'string' && message ? [message] : []))
    return { seconds: waits.length > 0 ? Math.min(...waits) : 0, message: messages.join(', ') }
  }

  async callHandler({ handler, extension }: Registered, hook: string, request: JsonObject): Promise<JsonObject> {
    const config = this.config(extension)
    if (!config) throw new HookError(`ExtensionConfig ${extension} is gone`)
    const settings = config.spec.settings
    const body = { ...(settings && Object.keys(settings).length > 0 ? { settings } : {}), ...request }
    const short = handler.name.slice(0, -(extension.length + 1))
    const failed = (why: string) => new HookError(`failed to call extension handler "${handler.name}": ${why}`)
    let answer: JsonObject
    try {
      answer = await call(config, hook, short, handler.timeoutSeconds, body)
    } catch (error) {
      // Exactly what makes this policy dangerous for CanUpdate hooks: an outage reads as "cannot update in place".
      if (handler.failurePolicy === 'Ignore') return { apiVersion: HOOKS_VERSION, status: 'Success' }
      throw failed(error instanceof Error ? error.message : String(error))
    }
    if (answer.status === 'Failure') throw failed(`got failure response with message: ${String(answer.message ?? '')}`)
    if (answer.status !== 'Success') {
      throw failed(
        `got unknown response status "${String(answer.status ?? '')}" with message: ${String(answer.message ?? '')}`,
      )
    }
    return answer
  }
}

export { HookError } from './client'
