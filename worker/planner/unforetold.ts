import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { isUnforetold } from '@/lib/domain/changes/by-others'
import { outlookIn, WAITING, type ChangeOutcome, type ChangeState } from '@/lib/services/changes/change-row'

/** What it is known by. */
export const TOLD_BY = { id: true, groupKind: true, state: true, outlook: true, outcome: true } as const
type Of = Pick<Change, keyof typeof TOLD_BY>

/** Whether anybody can tell by whom more went than was foretold is kept with what became of it: lists know the newest decision only. */
export async function withUnforetold(change: Of, outcome: ChangeOutcome, tx: Tx = db()): Promise<ChangeOutcome> {
  if (!outcome.byOthers && !outcome.madeUp) return outcome
  const was = (change.outcome as ChangeOutcome | null)?.unforetold ?? (await isSo(tx, change))
  return was ? { ...outcome, unforetold: true } : outcome
}

async function isSo(tx: Tx, { id: changeId, groupKind, state, outlook }: Of): Promise<boolean> {
  if (groupKind !== 'KubeadmControlPlane') return false
  const where = { changeId, mode: { not: 'reject' }, acceptedAt: { not: null } }
  const letGo = await tx.decision.findMany({ where, select: { mode: true }, distinct: ['mode'] })
  const of = {
    groupKind,
    waits: WAITING.includes(state as ChangeState),
    inPlace: Boolean(outlookIn({ outlook }).inPlace),
  }
  return isUnforetold(
    of,
    letGo.map(({ mode }) => mode),
  )
}
