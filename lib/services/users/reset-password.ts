import { createLink, linkPath } from '@/lib/auth/links'
import { announceAccess } from '@/lib/db/access'
import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { findAccount, userTarget } from './account'
import { LINK_MINUTES, UserId } from './schemas'

/** Takes an account's password and sessions away, and makes a one-time link with which its owner chooses a new one. */
export async function resetPassword(ctx: Ctx, input: unknown): Promise<{ link: string }> {
  requirePermission(ctx, 'users:write')
  const { userId } = parseInput(UserId, input)
  return db().$transaction(async (tx) => {
    const user = await findAccount(tx, userId)
    if (user.disabledAt) throw new ServiceError('conflict', 'This account is disabled.', { hint: 'Enable it first.' })
    await tx.account.updateMany({ where: { userId, providerId: 'credential' }, data: { password: null } })
    await tx.session.deleteMany({ where: { userId } })
    await tx.signInLink.deleteMany({ where: { userId, usedAt: null } })
    await announceAccess(tx, userId)
    const token = await createLink(tx, { userId }, LINK_MINUTES)
    await recordAudit(tx, ctx, { action: 'user.password-reset', target: userTarget(user) })
    return { link: linkPath(token) }
  })
}
