import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import * as z from 'zod'
import { redeemLink } from './redeem-link'
import { ServiceError } from '@/lib/services/errors'

/** Signs in with a one-time link: only the server's own code calls it, it is not among the routed paths. */
export const linkSignIn = () => ({
  id: 'drydock-link',
  endpoints: {
    signInWithLink: createAuthEndpoint(
      '/sign-in/link',
      {
        method: 'POST',
        requireHeaders: true,
        body: z.object({
          token: z.string(),
          name: z.string().optional(),
          email: z.string().optional(),
          password: z.string().optional(),
        }),
      },
      async (ctx) => {
        const userId = await redeemLink(ctx.body, (password) => ctx.context.password.hash(password))
        const user = await ctx.context.internalAdapter.findUserById(userId)
        if (!user) throw new APIError('NOT_FOUND')
        const session = await ctx.context.internalAdapter.createSession(userId)
        if (!session) throw new ServiceError('internal', 'No session could be made.')
        await setSessionCookie(ctx, { session, user })
        return ctx.json({ ok: true })
      },
    ),
  },
})
