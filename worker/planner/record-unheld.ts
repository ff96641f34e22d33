import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { capital } from '@/lib/domain/text'
import { namedIn } from '@/lib/kubernetes/paths'
import { recordAudit } from '@/lib/services/audit/record'
import type { Continued } from '@/lib/services/changes/continued'
import { isToHold } from '@/lib/services/changes/counted'
import { BY_DISCONNECT, DATE_UNAPPROVED, LEFT, LET_GO, NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'

interface Moves {
  action: string
  reason: string
  details?: JsonObject
}

/** It moves, and no approval of it is in force: why, as far as that is known. `before`: by what became of it until now. */
export async function recordUnheld(
  tx: Tx,
  view: ClusterView,
  change: Change,
  continued: Continued | null,
  before: Moves | null,
): Promise<void> {
  const { details = {}, ...moves } = (continued ? null : before) ?? movesBy(continued)
  await recordAudit(tx, systemCtx('planner'), {
    ...moves,
    target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    details: { summary: change.summary, ...details },
  })
}

/** What was approved before a disconnect is in force no more, so that it can be paused, and is held where its policies say so now. */
function movesBy(continued: Continued | null): Moves {
  if (continued?.movedBy && !continued.letGoBy?.stood) {
    const { movedBy, taken } = continued
    const reason = `${movedBy} disconnected its cluster, although it moved by that${taken ? ': its other hold had been taken away outside Drydock before' : ''}.`
    return { action: taken ? LET_GO : NOT_HELD, reason, details: { [BY_DISCONNECT]: movedBy } }
  }
  const { letGoBy: by, untilHeld, stopped } = continued ?? {}
  if (by?.stood)
    return {
      action: LEFT,
      reason: `${by.name} had approved it ${APPROVED[by.mode]}, and its cluster was disconnected then${by.edited ? '; the configuration of its machines was edited since' : ''}.`,
    }
  if (untilHeld && !continued?.taken)
    return {
      action: NOT_HELD,
      reason: `${capital(untilHeld.pausedBy ?? '')} ${untilHeld.pausedReason}, and its cluster was disconnected before its group was held again.`,
    }
  if (stopped && isToHold(stopped) && !continued?.taken)
    return {
      action: NOT_HELD,
      reason: 'It was counted as done, and its cluster was disconnected before that was written.',
    }
  return continued?.taken
    ? { action: LET_GO, reason: 'Its hold was taken away outside Drydock, before its cluster was disconnected.' }
    : { action: NOT_HELD, reason: 'The group is governed, and its update began without having been held.' }
}
export const TAKEN: Moves = { action: LET_GO, reason: 'Its hold was taken away outside Drydock, before its date came.' }
export const STANDS_NOT: Moves = {
  action: NOT_HELD,
  reason: 'It was let go before, and no approval stands for what moves by now.',
}
export const UNASKED: Moves = {
  action: NOT_HELD,
  reason: 'Cluster API may go by an answer that it remembers, and its group could not be paused.',
}
export const NEVER_ASKED: Moves = {
  action: NOT_HELD,
  reason:
    'Only the update gate held it, and every machine was replaced without a question to it: by Cluster API, which asks nobody about some, or because somebody deleted old ones.',
}
/** Before that moves, and for the reason that holds it. */
export const standsNotThen = ({ pausedBy, pausedReason }: { pausedBy: string; pausedReason: string }): Moves => ({
  action: DATE_UNAPPROVED,
  reason: `${capital(pausedBy)} ${pausedReason}.`,
})
/** It was to be held before its date, and moves by that now. */
export async function recordCame(tx: Tx, view: ClusterView, change: Change): Promise<void> {
  const of = { targetKind: change.groupKind, targetId: change.id }
  const [dated, told] = await Promise.all([
    tx.auditEvent.count({ where: { ...of, action: DATE_UNAPPROVED } }),
    tx.auditEvent.count({ where: { ...of, action: NOT_HELD } }),
  ])
  if (dated > 0 && told === 0) await recordUnheld(tx, view, change, null, CAME)
}
const CAME: Moves = { action: NOT_HELD, reason: 'Its date came before it could be held.' }
const APPROVED = { 'in-place': 'in place', replace: 'replacing' } as const
