import { announceAccess } from '@/lib/db/access'
import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { findAccount, keepAnAdmin, userTarget } from './account'
import { UserId } from './schemas'

/** Ends an account: its sessions, its links and its open streams end at once. What it did stays in the audit. */
export async function disableUser(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'users:write')
  const { userId } = parseInput(UserId, input)
  await db().$transaction(async (tx) => {
    await keepAnAdmin(tx, userId)
    const user = await findAccount(tx, userId)
    await tx.user.update({ where: { id: userId }, data: { disabledAt: user.disabledAt ?? new Date() } })
    await tx.session.deleteMany({ where: { userId } })
    await tx.signInLink.deleteMany({ where: { userId, usedAt: null } })
    await announceAccess(tx, userId)
    await recordAudit(tx, ctx, { action: 'user.disabled', target: userTarget(user) })
  })
}
