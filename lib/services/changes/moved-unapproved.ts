import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { namedIn } from '@/lib/kubernetes/paths'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { continuedOfChange } from './continued'

/** Nodes of a pool took up what waits, and nobody had let it go. */
export const MOVED_UNAPPROVED = 'change.moved-unapproved'

const BEGUN = `
SELECT p.machine_name AS name FROM machine_progress p WHERE p.change_id = $1::uuid AND p.started_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = p.change_id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL)
ORDER BY p.machine_name`

/** Puts on record, each node once, what began of a change that waits and was never let go. */
export async function recordMovedUnapproved(
  tx: Tx,
  change: Pick<Change, 'id' | 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'summary'>,
  cluster: string,
): Promise<void> {
  const { id, clusterId, groupKind, groupName, namespace, summary } = change
  const begun = await tx.$queryRawUnsafe<{ name: string }[]>(BEGUN, id)
  if (begun.length === 0) return
  const where = { targetKind: groupKind, targetId: id, action: MOVED_UNAPPROVED }
  const before = await tx.auditEvent.findMany({ where, select: { details: true } })
  const told = new Set(before.flatMap(({ details }) => (details as { nodes: string }).nodes.split(', ')))
  const news = begun.map(({ name }) => name).filter((name) => !told.has(name))
  // What goes on by what was approved before its cluster was disconnected is told as that.
  if (news.length === 0 || (await continuedOfChange(tx, id))?.letGoBy?.stood) return
  await recordAudit(tx, systemCtx('planner'), {
    action: MOVED_UNAPPROVED,
    target: { kind: groupKind, id, name: namedIn(namespace, groupName) },
    cluster: { id: clusterId, name: cluster },
    reason: `Nobody had approved it when ${news.join(', ')} began: the pool was paused only after that.`,
    details: { summary, nodes: news.join(', ') },
  })
}
