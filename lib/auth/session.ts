import { Prisma } from '@/lib/db/generated/client'
import { db } from '@/lib/db/client'
import { ROLES, type Ctx } from '@/lib/services/context'
import { auth } from './server'

const SESSION = 'drydock.session_token'
const MOST = 1_000
const LONGEST = 4_096

/**
 * Session tokens by the cookies in which better-auth found them and whose signature it verified. That is all that is
 * remembered: whether the session still runs, and who its person is by now, is read anew for every request.
 */
const verified = new Map<string, string>()

/**
 * A database that hangs ends no connection. Everything begins with its session, so whoever comes then is told, instead of
 * waiting for as long as it hangs; what runs already has its own time, and is cut off by nobody.
 */
const PATIENCE_MS = 8_000

/** Who asks, from the session cookie of these headers; role and state of the account are read anew each time. */
export async function ctxFromHeaders(headers: Headers, patienceMs = PATIENCE_MS): Promise<Ctx | null> {
  const cookie = headers.get('cookie')
  if (!cookie?.includes(SESSION)) return null
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error('The database did not answer who asks in time.'), { code: 'ETIMEDOUT' })
    timer = setTimeout(() => reject(error), patienceMs)
  })
  try {
    return await Promise.race([read(cookie, headers), tooLong])
  } finally {
    clearTimeout(timer)
  }
}

async function read(cookie: string, headers: Headers): Promise<Ctx | null> {
  const token = verified.get(cookie) ?? (await verify(cookie, headers))
  if (token === null) return null
  const [user] = await db().$queryRaw<{ id: string; name: string; role: string }[]>(Prisma.sql`
    SELECT u.id, u.name, u.role FROM session s JOIN "user" u ON u.id = s.user_id
    WHERE s.token = ${token} AND s.expires_at > now() AND u.disabled_at IS NULL`)
  if (!user) verified.delete(cookie)
  const role = ROLES.find((r) => r === user?.role)
  if (!user || !role) return null
  return { actor: { kind: 'user', id: user.id, name: user.name, role } }
}

async function verify(cookie: string, headers: Headers): Promise<string | null> {
  const found = await auth().api.getSession({ headers })
  if (!found) return null
  if (cookie.length <= LONGEST) {
    if (verified.size >= MOST) verified.delete(verified.keys().next().value!)
    verified.set(cookie, found.session.token)
  }
  return found.session.token
}
