import { db, pool } from '@/lib/db/client'
import { endOf, standingOf, type Approval } from '@/lib/domain/policies'
import { recordAudit } from '@/lib/services/audit/record'
import { approvalsWhere } from '@/lib/services/changes/approvals'
import { lockChange } from '@/lib/services/changes/lock-change'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import { anyBegun } from '@/lib/services/changes/take-back'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { announce } from '@/lib/db/notify'
import { authorOf } from '@/lib/services/policies/author'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { EXPIRED, ITS_APPROVAL } from '@/lib/services/policies/timing'
import type { ClusterView } from '../types'
import { owned } from './common'

/** Let go by people, under somebody's own pause of the group or of its Cluster, so that nothing began. */
const STILL_THERE = `
SELECT c.id::text FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
LEFT JOIN workload_cluster w ON w.cluster_id = c.cluster_id AND w.namespace = c.namespace AND w.name = c.workload_cluster
WHERE c.cluster_id = $1 AND c.state = ANY($2) AND c.paused_at IS NULL AND (g.paused OR w.paused) AND g.held IS NULL
  AND EXISTS (SELECT 1 FROM decision d JOIN approval a ON a.decision_id = d.id
    WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.state IN ('accepted', 'seen') AND a.ended_at IS NULL)`

/** What expired before anything began is held again, and waits for people: it would begin whenever that pause is taken away. */
export async function expireUnbegun(view: ClusterView): Promise<void> {
  const { rows } = await pool().query<{ id: string }>(STILL_THERE, [view.clusterId, UNDER_WAY])
  const tried = await Promise.allSettled(rows.map(({ id }) => expireOne(view, id)))
  const failed = tried.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  // What policies say of some cannot be known for now.
  const others = failed.filter((error) => !(error instanceof ServiceError))
  if (others.length > 0)
    throw new AggregateError(others, `whether approvals expired could not be found: ${String(others[0])}`)
}

async function expireOne(view: ClusterView, id: string): Promise<void> {
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await lockChange(tx, id)
    const change = await tx.change.findUniqueOrThrow({ where: { id } })
    const decision = await tx.decision.findFirst({
      where: { changeId: id, ...LETS_GO },
      orderBy: { recordedAt: 'desc' },
    })
    if (!decision || change.pausedAt || !UNDER_WAY.includes(change.state) || (await anyBegun(tx, id))) return
    const approvals = await approvalsWhere(tx, { decisionId: decision.id })
    const [rules, author, now] = [await rulesFor(tx, change), await authorOf(tx, change.author), new Date()]
    // Only what time ended: what else is asked by now is asked of what is not let go yet.
    const ended = approvals.filter((one) => (endOf(one, rules) ?? now) < now)
    const { missing } = standingOf(approvals, decision.mode as Approval['mode'], rules, author, now)
    if (missing === 0 || ended.length === 0) return
    const paused = { pausedBy: ITS_APPROVAL, pausedReason: EXPIRED, pausedAt: new Date(), pausedUntilHeld: true }
    await tx.change.update({ where: { id }, data: paused })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('planner'), {
      action: 'approval.expired',
      target: { kind: change.groupKind, id, name: `${change.namespace}/${change.groupName}` },
      cluster: { id: view.clusterId, name: view.name },
      reason: 'Nothing had begun, under a pause that somebody else set.',
      details: { mode: decision.mode, summary: change.summary },
    })
  })
}
