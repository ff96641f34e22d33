import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError } from 'better-auth/api'
import { db } from '@/lib/db/client'
import { env } from '../env'
import { linkSignIn } from './link-plugin'
import { authSecret } from './secret'

const SESSION_SECONDS = 12 * 60 * 60

/**
 * better-auth on our own tables. Further ways to sign in (OIDC) are plugins here; roles stay ours: `role` is no input of
 * any of its endpoints, and `lib/auth/session` reads it anew for every request.
 */
function create() {
  const { DRYDOCK_URL } = env()
  return betterAuth({
    appName: 'Drydock',
    secret: authSecret(),
    baseURL: DRYDOCK_URL ?? 'http://localhost',
    basePath: '/api/auth',
    database: prismaAdapter(db(), { provider: 'postgresql' }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 12, maxPasswordLength: 256 },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    user: {
      additionalFields: {
        role: { type: 'string', input: false, required: true, defaultValue: 'viewer' },
        disabledAt: { type: 'date', input: false, required: false },
      },
    },
    // Our own limit counts per person and per address (lib/auth/throttle): it also holds for server actions.
    rateLimit: { enabled: false },
    // Origins are checked by lib/auth/origin before anything comes here.
    advanced: {
      // Browsers keep cookies by host, not by port: two demos on one machine would end each other's sessions.
      cookiePrefix: process.env.DRYDOCK_COOKIE_PREFIX ?? 'drydock',
      useSecureCookies: DRYDOCK_URL?.startsWith('https://') ?? false,
      disableOriginCheck: true,
      disableCSRFCheck: true,
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session) => {
            const user = await db().user.findUnique({ where: { id: session.userId }, select: { disabledAt: true } })
            if (!user || user.disabledAt) throw new APIError('FORBIDDEN', { message: 'This account is disabled.' })
          },
        },
      },
    },
    telemetry: { enabled: false },
    logger: { level: 'error' },
    plugins: [linkSignIn()],
  } satisfies BetterAuthOptions)
}

const shared = globalThis as typeof globalThis & { __drydockAuth?: { db: unknown; auth: ReturnType<typeof create> } }

/** One instance per process; a new one where the database connection is new (tests). */
export function auth(): ReturnType<typeof create> {
  if (shared.__drydockAuth?.db !== db()) shared.__drydockAuth = { db: db(), auth: create() }
  return shared.__drydockAuth!.auth
}
