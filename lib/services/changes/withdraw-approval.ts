import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { lockChange } from './lock-change'
import { WithdrawInput } from './schemas'
import { OPEN, UNDER_WAY } from './states'
import { stillDue } from './still-due'
import { overtakeVoid } from './overtake'
import { anyBegun, PAUSE_IT, tooLate, unsend } from './take-back'

/** Nobody is left who wanted it machine by machine. */
const NO_STEPS = `
UPDATE change SET steps = NULL WHERE id = $1::uuid AND state IN ('waiting', 'rejected') AND step_waits_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM approval a WHERE a.change_id = change.id AND a.ended_at IS NULL AND a.one_by_one)`

/** How far it had come, on record. */
const SAID = { void: {}, sent: { wasSent: true }, 'in-force': { wasLetGo: true } }

/**
 * Takes one's own approval back, as long as nothing has moved. A decision that rests on it is void; where its release was sent
 * already, the group is held again before it is. Not while its cluster is being disconnected: no worker would hold it again, and what is
 * let go moves on.
 */
export async function withdrawApproval(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:approve')
  const { changeId } = parseInput(WithdrawInput, input)
  const sent = await db().$transaction(async (tx) => {
    const known = await tx.change.findUnique({ where: { id: changeId }, select: { clusterId: true } })
    // The cluster before the change, as whoever disconnects.
    if (known) await requireConnected(tx, known.clusterId)
    await lockChange(tx, changeId)
    const approval = await tx.approval.findFirst({
      where: { changeId, actorId: ctx.actor.id, endedAt: null, change: { state: { in: OPEN } } },
      orderBy: { at: 'desc' },
      include: { change: { include: { cluster: { select: { name: true } } } } },
    })
    if (!approval) throw new ServiceError('not-found', 'No approval of yours stands on this change.')
    const { change, decisionId, begun } = approval
    // Held again in the middle: machines moved by what it said. What was said since then is another word.
    if (begun && (await anyBegun(tx, changeId)))
      throw tooLate(UNDER_WAY.includes(change.state) ? PAUSE_IT : 'Reject the rest instead: it stays as it is.')
    const was = decisionId === null ? 'void' : await unsend(tx, ctx, change, decisionId)
    // By the database's clock, as decisions: which came first says whether it stands against what went by it.
    await tx.$executeRaw`UPDATE approval SET ended_at = clock_timestamp(), ended_why = 'withdrawn' WHERE id = ${approval.id}::uuid`
    if (was !== 'in-force') await tx.$executeRawUnsafe(NO_STEPS, changeId)
    await stillDue(tx, change)
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [changeId] })
    await recordAudit(tx, ctx, {
      action: 'approval.withdrawn',
      target: { kind: change.groupKind, id: changeId, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: change.clusterId, name: change.cluster.name },
      details: { mode: approval.mode, summary: change.summary, ...SAID[was] },
    })
    return was === 'sent' ? decisionId : null
  })
  if (sent) await overtakeVoid(ctx, sent)
}
