import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { findAccount, userTarget } from './account'
import { UserId } from './schemas'

/** Opens a disabled account again, with the role and the password that it had. */
export async function enableUser(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'users:write')
  const { userId } = parseInput(UserId, input)
  await db().$transaction(async (tx) => {
    const user = await findAccount(tx, userId)
    await tx.user.update({ where: { id: userId }, data: { disabledAt: null } })
    await recordAudit(tx, ctx, { action: 'user.enabled', target: userTarget(user) })
  })
}
