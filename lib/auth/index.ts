import 'server-only'
import { headers } from 'next/headers'
import { forbidden, redirect, unstable_rethrow } from 'next/navigation'
import { cache } from 'react'
import { may, type Ctx, type Permission } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { failure, type Failure, type Tried } from './failure'
import { requireOwnOrigin } from './origin'
import { ctxFromHeaders } from './session'

/** Who looks at this page; null: nobody is signed in. Once per request. */
export const sessionCtx = cache(async (): Promise<Ctx | null> => ctxFromHeaders(await headers()))

/** First line of every page: its reader, who may, or another page. */
export async function pageCtx(permission: Permission): Promise<Ctx> {
  const ctx = await sessionCtx()
  if (!ctx) redirect('/sign-in')
  if (!may(ctx.actor.role, permission)) forbidden()
  return ctx
}

export type ActionResult<T> = { ok: true; value: T } | { ok: false; error: Failure }

/**
 * Makes a server action of a verb. A server action is a public endpoint: this loads the session itself, wants an Origin
 * of ours, and lets no unknown error out. The verb asks for its permission.
 */
export function action<Input extends unknown[], T>(
  verb: (ctx: Ctx, ...input: Input) => Promise<T>,
  tried: Tried = 'deed',
): (...input: Input) => Promise<ActionResult<T>> {
  return async (...input) => {
    try {
      const from = await headers()
      requireOwnOrigin(from)
      const ctx = await ctxFromHeaders(from)
      if (!ctx) throw new ServiceError('signed-out', 'You are signed out.', { hint: 'Sign in again, then repeat it.' })
      return { ok: true, value: await verb(ctx, ...input) }
    } catch (error) {
      unstable_rethrow(error) // redirect() and the like are not failures
      return { ok: false, error: failure(error, verb.name, tried) }
    }
  }
}

/** The same of a verb that only looks: where it fails, nothing can have been done by it. */
export const look = <Input extends unknown[], T>(verb: (ctx: Ctx, ...input: Input) => Promise<T>) =>
  action(verb, 'look')
