import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { namedIn } from '@/lib/kubernetes/paths'

/** Who disconnected the cluster of a change before that was over; `moves`: although the group moved by it, which was named then. */
export interface LeftBy {
  name: string
  moves: boolean
}

type Of = Pick<Change, 'clusterId' | 'groupKind' | 'namespace' | 'groupName' | 'leftAfter'>

/** On record: the event of that came right after its end, in the same transaction. */
export async function leftBy(change: Of, tx: Tx = db()): Promise<LeftBy | null> {
  const { clusterId, groupKind, namespace, groupName, leftAfter } = change
  const end =
    leftAfter !== null &&
    (await tx.auditEvent.findFirst({
      where: {
        ...{ targetKind: 'ManagementCluster', targetId: clusterId, id: { gt: leftAfter } },
        ...{ action: 'cluster.disconnected', result: 'ok' },
      },
      orderBy: { id: 'asc' },
      select: { actorName: true, details: true },
    }))
  if (!end) return null
  const { moves } = end.details as { moves?: unknown }
  return {
    name: end.actorName,
    moves: Array.isArray(moves) && moves.includes(`${groupKind} ${namedIn(namespace, groupName)}`),
  }
}
