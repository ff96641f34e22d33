import type { Tx } from '@/lib/db/client'
import type { Approval as Row, Prisma } from '@/lib/db/generated/client'
import type { Outlook } from '@/lib/domain/changes'
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

/** fewer: more machines were wanted then. spares: fewer machines were to be deleted for spares then. */
export type Unseen = 'fewer' | 'spares'

/**
 * Why more machines would be deleted by now than whoever gave this approval was shown; null: no more. Those that are too many are
 * deleted as it is let go, and for each spare that comes another one. Of what has begun, machines come and go by scaling as of any
 * other group, and spares by who is available.
 */
export function unseenBy(
  { begun, mode, replicas, spares }: Pick<Row, 'begun' | 'mode' | 'replicas' | 'spares'>,
  outlook: Pick<Outlook, 'replicas' | 'inPlace'>,
): Unseen | null {
  if (begun) return null
  if (replicas !== null && outlook.replicas !== undefined && outlook.replicas < replicas) return 'fewer'
  return unseenSpares({ begun, mode, spares }, sparesIn(outlook)) ? 'spares' : null
}

/** Whether it counts only for as many machines that go for spares as it showed. */
export const isForSpares = ({ begun, mode }: Pick<Row, 'begun' | 'mode'>): boolean => !begun && mode === 'in-place'

/** More of them go by now. One from before that was kept showed nobody how many: none. */
export const unseenSpares = (row: Pick<Row, 'begun' | 'mode' | 'spares'>, now: number): boolean =>
  isForSpares(row) && now > (row.spares ?? 0)

/** How many machines are deleted for spares where it goes in place. */
export const sparesIn = ({ inPlace }: Pick<Outlook, 'inPlace'>): number => inPlace?.spare ?? 0

/** Rejected, or its machines would get another whole config than was approved: whoever had approved is asked again. Returns who. */
export async function endApprovals(
  tx: Tx,
  changeId: string,
  why: 'rejected' | 'config' = 'rejected',
): Promise<string[]> {
  const data = { endedAt: new Date(), endedWhy: why }
  const where = { changeId, endedAt: null }
  const ended = await tx.approval.updateManyAndReturn({ where, data, select: { actorName: true, actorId: true } })
  return ended.map(({ actorName, actorId }) => `${actorName} (${actorId})`)
}
