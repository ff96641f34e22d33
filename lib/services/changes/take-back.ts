import type { Tx } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { TOOK_BACK } from '../policies/timing'
import { begunSql, LETS_GO } from './states'
import { unansweredOf } from './tries'

export type Unsent = 'void' | 'sent' | 'in-force'

/** Whether any machine of it has begun since it was let go: the rest goes on as that did. */
export async function anyBegun(tx: Tx, changeId: string): Promise<boolean> {
  const [row] = await tx.$queryRawUnsafe<{ begun: boolean }[]>(`SELECT ${begunSql('$1::uuid')} AS begun`, changeId)
  return row?.begun === true
}

/** The same by this decision: no approval that it rests on is taken back any more, or expires. */
export async function begunBy(tx: Tx, changeId: string, decisionId: string): Promise<boolean> {
  const sql = `SELECT ${begunSql('$1::uuid', '$2::uuid')} AS begun`
  const [row] = await tx.$queryRawUnsafe<{ begun: boolean }[]>(sql, changeId, decisionId)
  return row?.begun === true
}

export const PAUSE_IT = 'Pause it instead: machines that have begun are finished, and the rest is held.'
export const tooLate = (hint: string): ServiceError =>
  new ServiceError('conflict', 'A machine has begun: the approval cannot be taken back any more.', { hint })

const beingSent = (decision: Decision): ServiceError =>
  unansweredOf(decision) === null
    ? new ServiceError('conflict', 'It is being sent to the cluster at this moment.', {
        hint: 'Try again in a moment: until a machine begins it can be taken back.',
      })
    : new ServiceError(
        'conflict',
        'It was sent to the cluster, and whether that took it is not known yet: it is tried again.',
        { hint: 'Pause it instead: then it is not sent again, and what the cluster took is held when it answers.' },
      )

/**
 * Nothing is let go by a decision any more of which an approval is taken back; what others said stands. `void`: it was not in force,
 * and is void. `sent`: as that, but its release was sent before it failed, and may be stored yet: whoever takes it back writes over
 * that, and the planner holds again what came through. `in-force`: it is paused, and the worker holds the group again, which is when the decision ends: until then the
 * managers may remember what they were told, and where a machine begins, the others' words end with it. Refused once a machine has begun. The change is locked.
 */
export async function unsend(tx: Tx, ctx: Ctx, change: Change, decisionId: string): Promise<Unsent> {
  // A decision that is void takes its approvals with it, unless it only waits for its time.
  await tx.approval.updateMany({ where: { decisionId, actorId: { not: ctx.actor.id } }, data: { decisionId: null } })
  const unsent = { state: { in: ['recorded', 'applying', 'failed'] }, sentAt: null }
  const { count } = await tx.decision.updateMany({
    where: { id: decisionId, ...unsent },
    data: { state: 'voided', claimedUntil: null, awaitsTime: false },
  })
  if (count > 0) {
    await tx.change.updateMany({ where: { id: change.id, state: 'approved' }, data: { state: 'waiting' } })
    return 'void'
  }
  const failed = { id: decisionId, state: 'failed' }
  const data = { state: 'voided', claimedUntil: null, awaitsTime: false }
  if ((await tx.decision.updateMany({ where: failed, data })).count > 0) return 'sent'
  if ((await tx.decision.count({ where: { id: decisionId, ...LETS_GO } })) === 0)
    throw beingSent(await tx.decision.findUniqueOrThrow({ where: { id: decisionId } }))
  if (await begunBy(tx, change.id, decisionId)) throw tooLate(PAUSE_IT)
  if (change.pausedAt)
    throw new ServiceError('conflict', `${change.pausedBy} has paused it: its group is being held at this moment.`, {
      hint: 'Try again in a moment, when it is held.',
    })
  const paused = { pausedBy: ctx.actor.name, pausedReason: TOOK_BACK, pausedAt: new Date(), pausedUntilHeld: true }
  await tx.change.update({ where: { id: change.id }, data: paused })
  return 'in-force'
}
