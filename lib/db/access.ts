import type { PrismaClient } from './generated/client'
import type { Tx } from './client'

/** Says that somebody's session, role or account changed: open streams look again whether they may go on. */
export const ACCESS_CHANNEL = 'drydock_access'

export async function announceAccess(on: Tx | PrismaClient, userId: string): Promise<void> {
  await on.$executeRaw`SELECT pg_notify(${ACCESS_CHANNEL}, ${userId})`
}
