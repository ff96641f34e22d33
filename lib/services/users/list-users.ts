import { db } from '@/lib/db/client'
import { requirePermission, type Ctx } from '../context'

export interface UserSummary {
  id: string
  name: string
  email: string
  role: string
  disabledAt: string | null
  createdAt: string
  lastSignIn: string | null
}

/** Everybody who has an account. */
export async function listUsers(ctx: Ctx): Promise<UserSummary[]> {
  requirePermission(ctx, 'users:write')
  const users = await db().user.findMany({
    orderBy: { email: 'asc' },
    select: {
      id: true,
      name: true,
      email: true,
      role: true,
      disabledAt: true,
      createdAt: true,
      sessions: { orderBy: { createdAt: 'desc' }, take: 1, select: { createdAt: true } },
    },
  })
  return users.map(({ sessions, ...user }) => ({
    ...user,
    disabledAt: user.disabledAt?.toISOString() ?? null,
    createdAt: user.createdAt.toISOString(),
    lastSignIn: sessions[0]?.createdAt.toISOString() ?? null,
  }))
}
