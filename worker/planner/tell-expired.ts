import { namedIn } from '@/lib/kubernetes/paths'
import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '@/lib/services/audit/record'
import { tryLockChange } from '@/lib/services/changes/lock-change'
import { stillDue } from '@/lib/services/changes/still-due'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { owned } from './common'

/**
 * Of approval a and its change c: it ran out before anything went by it, and nothing else had ended it by then. What nobody told for
 * a month is told no more: approvals that were used stay in the index for good, and each round would read all of them.
 */
const RAN_OUT = `a.ran_out_at IS NULL AND NOT a.begun AND a.expires_at <= now() AND a.expires_at > now() - interval '30 days'
  AND (a.ended_at IS NULL OR (a.ended_at >= a.expires_at AND a.ended_why IS DISTINCT FROM 'withdrawn'))
  AND (c.finished_at IS NULL OR c.finished_at >= a.expires_at)
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.id = a.decision_id AND (d.accepted_at IS NOT NULL OR d.sent_at IS NOT NULL))`

const THOSE = `
SELECT a.id::text, a.mode, a.actor_name AS approver, a.expires_at AS "expiredAt", c.id::text AS "changeId", c.summary,
  c.group_kind AS "groupKind", c.group_name AS "groupName", c.namespace
FROM approval a JOIN change c ON c.id = a.change_id
WHERE c.cluster_id = $1::uuid AND ${RAN_OUT} ORDER BY a.expires_at, a.id LIMIT 200`

const TOLD = `
UPDATE approval SET ran_out_at = now() WHERE id IN (
  SELECT a.id FROM approval a JOIN change c ON c.id = a.change_id WHERE a.id = $1::uuid AND ${RAN_OUT} FOR UPDATE OF a)`

interface Expired {
  id: string
  mode: string
  approver: string
  expiredAt: Date
  changeId: string
  summary: string
  groupKind: string
  groupName: string
  namespace: string
}

/**
 * Says of each approval that expired that it did, once: whose it was, of which change, and until when it was good. Nothing is ended by
 * it, for an approval ends by its own date; but what waited for its time with it waits for people from then on. Of what is let go already, `expired.ts` says what comes of it.
 */
export async function tellExpired(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { rows } = await pool().query<Expired>(THOSE, [view.clusterId])
  for (const expired of rows) {
    if (stopped()) return
    await tell(view, expired)
  }
}

async function tell(view: ClusterView, expired: Expired): Promise<void> {
  const { id, changeId, groupKind, groupName, namespace, mode, approver, summary } = expired
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (!(await tryLockChange(tx, changeId))) return
    // Somebody else may have told it, or given it anew, since it was read.
    if ((await tx.$executeRawUnsafe(TOLD, id)) === 0) return
    await stillDue(tx, await tx.change.findUniqueOrThrow({ where: { id: changeId } }))
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [changeId] })
    await recordAudit(tx, systemCtx('approvals'), {
      action: 'approval.ran-out',
      target: { kind: groupKind, id: changeId, name: namedIn(namespace, groupName) },
      cluster: { id: view.clusterId, name: view.name },
      details: { mode, summary, approver, expiredAt: expired.expiredAt.toISOString() },
    })
  })
}
