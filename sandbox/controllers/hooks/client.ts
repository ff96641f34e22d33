import { Agent, request } from 'undici'
import type { JsonObject } from '../../../lib/domain/json'
import type { ExtensionConfig } from '../kinds'

export const HOOKS_VERSION = 'hooks.runtime.cluster.x-k8s.io/v1alpha1'

export class HookError extends Error {}

/** One POST to an extension. Everything but a 200 with decodable JSON throws. */
export async function call(
  extension: ExtensionConfig,
  hook: string,
  handler: string | undefined,
  timeoutSeconds: number,
  body: JsonObject,
): Promise<JsonObject> {
  const url = address(extension)
  url.pathname = [url.pathname.replace(/\/$/, ''), HOOKS_VERSION, hook.toLowerCase(), handler?.toLowerCase()]
    .filter((part) => part !== undefined)
    .join('/')
  url.searchParams.set('timeout', `${timeoutSeconds}s`)
  const ca = Buffer.from(extension.spec.clientConfig.caBundle ?? '', 'base64').toString()
  const agent = new Agent({ connect: { ca }, pipelining: 0 })
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'user-agent': 'Go-http-client/1.1' },
      body: JSON.stringify({ kind: `${hook}Request`, apiVersion: HOOKS_VERSION, ...body }),
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) {
      const quoted = JSON.stringify(text.slice(0, 512))
      throw new HookError(
        `http call failed: got response with status code ${answer.statusCode} != 200: response : ${quoted}`,
      )
    }
    return decode(text)
  } catch (error) {
    if (error instanceof HookError) throw error
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new HookError(`http call failed: Post "${url.href}": http request timeout expired`)
    }
    throw new HookError(
      `http call failed: Post "${url.href}": ${error instanceof Error ? error.message : String(error)}`,
    )
  } finally {
    await agent.close().catch(() => agent.destroy())
  }
}

function decode(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (value && typeof value === 'object' && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Said below: the text may hold a token, so it is not repeated.
  }
  throw new HookError('http call failed: failed to decode response')
}

function address({ spec }: ExtensionConfig): URL {
  const { url, service } = spec.clientConfig
  const port = service?.port ? `:${service.port}` : ''
  const base = url ?? (service && `https://${service.name}.${service.namespace}.svc${port}${service.path ?? ''}`)
  if (!base) throw new HookError('spec.clientConfig has neither url nor service')
  const parsed = new URL(base)
  if (parsed.protocol !== 'https:') throw new HookError(`spec.clientConfig.url must be https, not ${parsed.protocol}//`)
  return parsed
}
