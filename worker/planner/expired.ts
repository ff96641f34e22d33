import { db, pool } from '@/lib/db/client'
import { standingOf, type Approval } from '@/lib/domain/policies'
import { recordAudit } from '@/lib/services/audit/record'
import { approvalsWhere } from '@/lib/services/changes/approvals'
import { lockChange } from '@/lib/services/changes/lock-change'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'
import { anyBegun } from '@/lib/services/changes/take-back'
import { systemCtx } from '@/lib/services/context'
import { announce } from '@/lib/db/notify'
import { authorOf } from '@/lib/services/policies/author'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { EXPIRED, ITS_APPROVAL } from '@/lib/services/policies/timing'
import type { ClusterView } from '../types'
import { owned } from './common'

/** Let go under somebody's own pause, so that nothing began, and approved by somebody whose approval has expired since. */
const STILL_THERE = `
SELECT c.id::text FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.cluster_id = $1 AND c.state = ANY($2) AND c.paused_at IS NULL AND g.paused AND g.held IS NULL
  AND EXISTS (SELECT 1 FROM approval WHERE change_id = c.id AND ended_at IS NULL AND expires_at < now())`

/** What expired before anything began is held again, and waits for people: it would begin whenever that pause is taken away. */
export async function expireUnbegun(view: ClusterView): Promise<void> {
  const { rows } = await pool().query<{ id: string }>(STILL_THERE, [view.clusterId, UNDER_WAY])
  for (const { id } of rows) await expireOne(view, id)
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
    const [rules, author] = [await rulesFor(tx, change), await authorOf(tx, change.author)]
    const { missing } = standingOf(approvals, decision.mode as Approval['mode'], rules, author, new Date())
    if (missing === 0) return
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
