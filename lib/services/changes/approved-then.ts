import { db } from '@/lib/db/client'
import { approvedThen, type ApprovedThen } from '@/lib/domain/latch/approved-then'
import { may, ROLES } from '../context'

/** What began (`p`, of machine_progress) by no decision in force (`word`, what it began by). */
export const BY_NO_WORD = `p.started_at IS NOT NULL
  AND (word.id IS NULL OR word.accepted_at IS NULL AND (word.state = 'voided' OR word.state = 'failed' AND word.sent_at IS NULL))`

const APPROVERS = ROLES.filter((role) => may(role, 'changes:approve')).map((role) => `'${role}'`)
/** Another role was given since the approval, and that one may not approve. */
const BY_ROLE = `coalesce((SELECT e.details->>'to' FROM audit_event e WHERE e.target_kind = 'User' AND e.target_id = a.actor_id::text
  AND e.action = 'user.role-set' AND e.result = 'ok' AND e.at <= p.started_at ORDER BY e.id DESC LIMIT 1), 'admin') NOT IN (${APPROVERS.join(', ')})`
const DISABLED = `EXISTS (SELECT 1 FROM "user" u WHERE u.id::text = a.actor_id::text AND u.disabled_at <= p.started_at)`
/** Who was barred by then counts no more than where it is decided. */
const STOOD = `NOT ${DISABLED} AND NOT ${BY_ROLE}
  AND (a.ended_at IS NULL OR a.ended_at > p.started_at) AND (a.begun OR a.expires_at IS NULL OR a.expires_at > p.started_at)`
/**
 * Enough had approved the change (`c`) when it began, and that stood. What is kept for its time has no decision yet: that enough approved
 * it is on record, and so many of them had not ended. What is held again until its time keeps those of the decision before; restated, a
 * change keeps them under its new fingerprint.
 */
export const APPROVED_THEN = `(p.begun_by IS NULL AND (EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject'
    AND d.recorded_at <= p.started_at AND (d.voided_at IS NULL OR d.voided_at > p.started_at))
  OR EXISTS (SELECT 1 FROM audit_event e WHERE e.target_kind = c.group_kind AND e.target_id = c.id::text
    AND e.action = 'approval.given' AND e.details->>'missing' = '0' AND e.at <= p.started_at
    AND (SELECT count(DISTINCT a.actor_id) FROM approval a WHERE a.change_id = c.id AND a.mode = e.details->>'mode'
      AND a.at <= p.started_at
      AND ${STOOD}) >= (e.details->>'needed')::int)
  OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.state = 'voided' AND d.awaits_time
    AND d.accepted_at IS NOT NULL AND d.voided_at <= p.started_at
    AND (SELECT count(DISTINCT a.actor_id) FROM approval a WHERE a.change_id = c.id AND a.mode = d.mode
      AND a.at <= p.started_at AND a.actor_id IN (SELECT s->>'actorId' FROM jsonb_array_elements(d.policy->'approvals') s) AND ${STOOD})
      >= LEAST(jsonb_array_length(d.policy->'approvals'), GREATEST(1, (d.policy->'rules'->'approvals'->>'value')::int)))))`

const BEGUN = `
SELECT ${APPROVED_THEN} AS approved FROM machine_progress p JOIN change c ON c.id = p.change_id LEFT JOIN decision word ON word.id = p.begun_by
WHERE p.change_id = $1::uuid AND ${BY_NO_WORD}`

/** Of what began of a change by no decision in force. */
export const approvedWhenBegun = async (changeId: string): Promise<ApprovedThen> =>
  approvedThen(await db().$queryRawUnsafe<{ approved: boolean }[]>(BEGUN, changeId))
