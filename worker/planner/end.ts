import { namedIn } from '@/lib/kubernetes/paths'
import type { Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'
import { type Row } from './common'
import { LIVE } from '@/lib/services/changes/states'

/** A change that is over: its decisions no longer speak. */
export async function end(tx: Tx, view: ClusterView, row: Row, state: 'superseded' | 'reverted'): Promise<void> {
  const finishedAt = await databaseNow(tx)
  await tx.change.update({ where: { id: row.id }, data: { state, finishedAt, stuckReason: null } })
  await tx.decision.updateMany({
    where: { changeId: row.id, state: { in: [...LIVE, 'failed'] } },
    data: { state: 'voided', claimedUntil: null },
  })
  await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [row.id] })
}

type Ended = Pick<Row, 'id' | 'groupKind' | 'namespace' | 'groupName' | 'summary' | 'state'>

/** Last in its transaction, as every audit event: whoever disconnects takes the same locks in that order. */
export async function recordEnd(
  tx: Tx,
  view: ClusterView,
  row: Ended,
  how: 'superseded' | 'taken-back' | 'gone' | 'needs-word',
  reason?: string,
): Promise<void> {
  await recordAudit(tx, systemCtx('planner'), {
    action: `change.${how}`,
    ...(reason === undefined ? {} : { reason }),
    target: { kind: row.groupKind, id: row.id, name: namedIn(row.namespace, row.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    details: { summary: row.summary, was: row.state },
  })
}
