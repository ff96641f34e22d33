import type { Tx } from '@/lib/db/client'
import { ServiceError } from '../errors'

const LOCK = 7_207_004 // the number of administrators is counted by one transaction at a time

export async function findAccount(tx: Tx, userId: string) {
  const user = await tx.user.findUnique({ where: { id: userId } })
  if (!user) throw new ServiceError('not-found', 'There is no such account.')
  return user
}

export const userTarget = (user: { id: string; email: string }) => ({ kind: 'User', id: user.id, name: user.email })

/** Before an account stops being an administrator: somebody must be left who can administer Drydock. */
export async function keepAnAdmin(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
  const admins = await tx.user.findMany({ where: { role: 'admin', disabledAt: null }, select: { id: true } })
  if (admins.length === 1 && admins[0]?.id === userId) {
    throw new ServiceError('conflict', 'This is the last administrator.', {
      hint: 'Make somebody else an administrator first.',
    })
  }
}
