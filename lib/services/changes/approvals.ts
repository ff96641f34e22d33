import type { Tx } from '@/lib/db/client'
import type { Approval as Row, Prisma } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import type { Outlook } from '@/lib/domain/changes'
import { isBound } from '@/lib/domain/changes/bound'
import { isMore } from '@/lib/domain/pools/progress'
import type { Approval } from '@/lib/domain/policies'
import { may, type Role } from '../context'

export type ApprovalRow = Row & Approval

/** disabled: the account was, since. role: they may not approve any more. */
export type Barred = 'disabled' | 'role'

/** Approvals, oldest first, with why no word of that person counts; null: it may. */
export async function approvalsOf(
  tx: Tx,
  where: Prisma.ApprovalWhereInput,
): Promise<(ApprovalRow & { barred: Barred | null })[]> {
  const rows = await tx.approval.findMany({ where, orderBy: [{ at: 'asc' }, { id: 'asc' }] })
  if (rows.length === 0) return []
  const people = await tx.user.findMany({
    where: { id: { in: [...new Set(rows.map(({ actorId }) => actorId))] } },
    select: { id: true, role: true, disabledAt: true },
  })
  const barred = new Map(
    people.flatMap(({ id, role, disabledAt }): [string, Barred][] =>
      disabledAt !== null ? [[id, 'disabled']] : may(role as Role, 'changes:approve') ? [] : [[id, 'role']],
    ),
  )
  return rows.map((row) => ({
    ...{ ...row, mode: row.mode as Approval['mode'] },
    barred: barred.get(row.actorId) ?? null,
  }))
}

/** Those that may count: without those of people whose account was disabled since, or who may not approve any more. */
export async function approvalsWhere(tx: Tx, where: Prisma.ApprovalWhereInput): Promise<ApprovalRow[]> {
  return (await approvalsOf(tx, where)).filter(({ barred }) => barred === null)
}

/** fewer: more machines were wanted then. deletions: fewer machines were to be deleted in its way then. at-once: fewer nodes of a pool were to go at once then. */
export type Unseen = 'fewer' | 'deletions' | 'at-once'

type Shown = Pick<Row, 'begun' | 'mode' | 'replicas' | 'deletions' | 'maxUnavailable'>

/**
 * Why more machines would be deleted by now than whoever gave this approval was shown; null: no more. Those that are too many are
 * deleted as it is let go, and marked ones, and for each spare that comes another one. Of what has begun, machines come and go by
 * scaling as of any other group, and spares by who is available.
 */
export function unseenBy(
  row: Shown,
  { outlook, groupKind }: { outlook: Pick<Outlook, 'replicas' | 'inPlace' | 'replace' | 'pool'>; groupKind: string },
): Unseen | null {
  if (row.begun) return null
  if (row.replicas !== null && outlook.replicas !== undefined && outlook.replicas < row.replicas) return 'fewer'
  if (unseenAtOnce(row, outlook.pool)) return 'at-once'
  return unseenDeletions(row, deletionsIn({ outlook, groupKind }, row.mode)) ? 'deletions' : null
}

/** More nodes of its pool go at once by now than it showed: from before that was kept, one. */
export const unseenAtOnce = (
  { begun, maxUnavailable }: Pick<Shown, 'begun' | 'maxUnavailable'>,
  now: Pick<NonNullable<Outlook['pool']>, 'limit' | 'machines'> | null | undefined,
): boolean => !begun && now?.limit !== undefined && isMore(now.limit, maxUnavailable ?? '1', now.machines ?? 0)

/** More of them go in its way by now than it showed. What has begun counts for those that go. */
export const unseenDeletions = (row: Shown, now: number): boolean => !row.begun && now > shownDeletions(row)

/** From before that was kept: in place, none; replacing, one for each that was wanted. */
const shownDeletions = ({ mode, replicas, deletions }: Shown): number =>
  deletions ?? (mode === 'replace' ? (replicas ?? 0) : 0)

/** How many machines are deleted where it goes in this way, as far as an approval is bound to that. */
export const deletionsIn = (
  { outlook, groupKind }: { outlook: Pick<Outlook, 'inPlace' | 'replace'>; groupKind: string },
  mode: string,
): number => (isBound(groupKind, mode) ? ((mode === 'in-place' ? outlook.inPlace : outlook.replace)?.deleted ?? 0) : 0)

/** Rejected, or its machines would get another whole config than was approved: whoever had approved is asked again. Returns who. */
export async function endApprovals(
  tx: Tx,
  changeId: string,
  why: 'rejected' | 'config' = 'rejected',
): Promise<string[]> {
  const data = { endedAt: await databaseNow(tx), endedWhy: why }
  const where = { changeId, endedAt: null }
  const ended = await tx.approval.updateManyAndReturn({ where, data, select: { actorName: true, actorId: true } })
  return ended.map(({ actorName, actorId }) => `${actorName} (${actorId})`)
}
