import type { Tx } from '@/lib/db/client'
import type { Approval as Row, Prisma } from '@/lib/db/generated/client'
import type { Approval } from '@/lib/domain/policies'
import { may, type Role } from '../context'

export type ApprovalRow = Row & Approval

/**
 * Approvals that may count, oldest first: without those of people whose account was disabled since, or who may not approve
 * any more.
 */
export async function approvalsWhere(tx: Tx, where: Prisma.ApprovalWhereInput): Promise<ApprovalRow[]> {
  const rows = await tx.approval.findMany({ where, orderBy: [{ at: 'asc' }, { id: 'asc' }] })
  if (rows.length === 0) return []
  const people = await tx.user.findMany({
    where: { id: { in: [...new Set(rows.map(({ actorId }) => actorId))] } },
    select: { id: true, role: true, disabledAt: true },
  })
  const out = new Set(
    people
      .filter(({ role, disabledAt }) => disabledAt !== null || !may(role as Role, 'changes:approve'))
      .map(({ id }) => id),
  )
  return rows.flatMap((row) => (out.has(row.actorId) ? [] : [{ ...row, mode: row.mode as Approval['mode'] }]))
}

/** Rejected: whoever had approved is asked again. */
export async function endApprovals(tx: Tx, changeId: string): Promise<void> {
  const data = { endedAt: new Date(), endedWhy: 'rejected' }
  await tx.approval.updateMany({ where: { changeId, endedAt: null }, data })
}
