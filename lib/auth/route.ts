import { requirePermission, type Ctx, type Permission } from '@/lib/services/context'
import { CODES, ServiceError } from '@/lib/services/errors'
import { failure, type Tried } from './failure'
import { requireOwnOrigin } from './origin'
import { ctxFromHeaders } from './session'

type Context<P> = { params: Promise<P> }

/** Makes a route handler that loads the session, asks for a permission, and answers failures as problem+json. */
export function route<P = Record<string, never>>(
  permission: Permission,
  handler: (ctx: Ctx, request: Request, params: P) => Promise<Response>,
): (request: Request, context: Context<P>) => Promise<Response> {
  return async (request, context) => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') requireOwnOrigin(request.headers)
      const ctx = await ctxFromHeaders(request.headers)
      if (!ctx) throw new ServiceError('signed-out', 'You are signed out.', { hint: 'Sign in, then repeat it.' })
      requirePermission(ctx, permission)
      return await handler(ctx, request, await context.params)
    } catch (error) {
      return problem(error, new URL(request.url).pathname, request.method === 'GET' ? 'page' : 'deed')
    }
  }
}

/** RFC 9457. */
export function problem(error: unknown, where: string, tried: Tried = 'deed'): Response {
  const { code, message, hint, answer, fields } = failure(error, where, tried)
  const body = { type: `urn:drydock:${code}`, title: message, status: CODES[code], code, detail: hint, answer, fields }
  return Response.json(body, {
    status: CODES[code],
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  })
}
