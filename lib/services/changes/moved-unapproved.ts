import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { POOL } from '@/lib/domain/latch/hold'
import { namedIn } from '@/lib/kubernetes/paths'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { continuedOfChange } from './continued'

/** Nodes of a pool took up what waits, and nobody had let it go. */
export const MOVED_UNAPPROVED = 'change.moved-unapproved'

/**
 * What began under an approval may be seen a moment after that was void. While one was being sent that the cluster surely never stored,
 * it began by nobody's word; of what is not answered yet, nobody knows.
 */
const BEGUN = `
SELECT p.machine_name AS name, p.begun_by IS NOT NULL OR EXISTS (SELECT 1 FROM decision d WHERE d.change_id = p.change_id AND d.mode <> 'reject'
  AND d.accepted_at <= p.started_at) AS "letGo" FROM machine_progress p LEFT JOIN decision word ON word.id = p.begun_by
WHERE p.change_id = $1::uuid AND p.started_at IS NOT NULL
  AND (word.id IS NULL OR word.accepted_at IS NULL AND (word.state = 'voided' OR word.state = 'failed' AND word.sent_at IS NULL))
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = p.change_id AND d.mode <> 'reject'
    AND d.accepted_at <= p.started_at + interval '30 seconds' AND d.voided_at >= p.started_at - interval '30 seconds')
ORDER BY p.machine_name`

/** Puts on record, each node once, what began of a change that waits although no approval of it was in force. */
export async function recordMovedUnapproved(
  tx: Tx,
  change: Pick<Change, 'id' | 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'summary'>,
  cluster: string,
): Promise<void> {
  const { id, clusterId, groupKind, groupName, namespace, summary } = change
  const begun = await tx.$queryRawUnsafe<{ name: string; letGo: boolean }[]>(BEGUN, id)
  if (begun.length === 0) return
  const where = { targetKind: groupKind, targetId: id, action: MOVED_UNAPPROVED }
  const before = await tx.auditEvent.findMany({ where, select: { details: true } })
  const told = new Set(before.flatMap(nodesOf))
  const news = begun.filter(({ name }) => !told.has(name))
  // What goes on by what was approved before its cluster was disconnected is told as that.
  if (news.length === 0 || (await continuedOfChange(tx, id))?.letGoBy?.stood) return
  const nodes = news.map(({ name }) => name).join(', ')
  await recordAudit(tx, systemCtx('planner'), {
    action: MOVED_UNAPPROVED,
    target: { kind: groupKind, id, name: namedIn(namespace, groupName) },
    cluster: { id: clusterId, name: cluster },
    reason: news.some(({ letGo }) => letGo)
      ? `No approval of it was in force when ${nodes} began.`
      : `Nobody had approved it when ${nodes} began: the pool was paused only after that.`,
    details: { summary, nodes },
  })
}

const nodesOf = ({ details }: { details: unknown }): string[] => (details as { nodes: string }).nodes.split(', ')

/** By name: nodes of a pool that are on record so with this change. */
export async function nodesMovedUnapproved(changeId: string): Promise<string[]> {
  const where = { targetKind: POOL, targetId: changeId, action: MOVED_UNAPPROVED }
  const events = await db().auditEvent.findMany({ where, select: { details: true } })
  return [...new Set(events.flatMap(nodesOf))].sort()
}
