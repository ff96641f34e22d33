import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { LETS_GO_SQL } from './states'

export const LET_GO = 'change.let-go'

/** On record: somebody outside took the hold of this change away. */
export async function wasLetGo({ id, groupKind }: Pick<Change, 'id' | 'groupKind'>): Promise<boolean> {
  return (await db().auditEvent.count({ where: { targetKind: groupKind, targetId: id, action: LET_GO } })) > 0
}

/**
 * Changes that move because somebody outside took their hold away, and that nobody approved here: their ids. `ids`: which are
 * asked about; absent: all.
 */
export async function movingUnapproved(tx: Tx, ids: readonly string[] | null = null): Promise<string[]> {
  if (ids?.length === 0) return []
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(MOVING, ids)
  return rows.map(({ id }) => id)
}

const MOVING = `
SELECT c.id::text FROM change c WHERE ($1::uuid[] IS NULL OR c.id = ANY($1::uuid[])) AND c.state IN ('running', 'stuck')
  AND EXISTS (SELECT 1 FROM audit_event a WHERE a.target_kind = c.group_kind AND a.target_id = c.id::text AND a.action = '${LET_GO}')
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND ${LETS_GO_SQL})`
