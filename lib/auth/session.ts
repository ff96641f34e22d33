import { db } from '@/lib/db/client'
import { ROLES, type Ctx } from '@/lib/services/context'
import { auth } from './server'

/** Who asks, from the session cookie of these headers; role and state of the account are read anew each time. */
export async function ctxFromHeaders(headers: Headers): Promise<Ctx | null> {
  if (!headers.get('cookie')?.includes('drydock.session_token')) return null
  const session = await auth().api.getSession({ headers })
  if (!session) return null
  const user = await db().user.findUnique({
    where: { id: session.user.id },
    select: { id: true, name: true, role: true, disabledAt: true },
  })
  const role = ROLES.find((r) => r === user?.role)
  if (!user || user.disabledAt || !role) return null
  return { actor: { kind: 'user', id: user.id, name: user.name, role } }
}
