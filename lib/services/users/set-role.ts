import { announceAccess } from '@/lib/db/access'
import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { findAccount, keepAnAdmin, userTarget } from './account'
import { SetRoleInput } from './schemas'

/** Gives an account another role. It holds from its next request on. */
export async function setRole(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'users:write')
  const { userId, role } = parseInput(SetRoleInput, input)
  await db().$transaction(async (tx) => {
    if (role !== 'admin') await keepAnAdmin(tx, userId)
    const user = await findAccount(tx, userId)
    await tx.user.update({ where: { id: userId }, data: { role } })
    await announceAccess(tx, userId)
    await recordAudit(tx, ctx, {
      action: 'user.role-set',
      target: userTarget(user),
      details: { from: user.role, to: role },
    })
  })
}
