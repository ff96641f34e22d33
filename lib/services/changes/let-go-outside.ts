import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'

export const LET_GO = 'change.let-go'

/** On record: somebody outside took the hold of this change away. */
export async function wasLetGo({ id, groupKind }: Pick<Change, 'id' | 'groupKind'>): Promise<boolean> {
  return (await db().auditEvent.count({ where: { targetKind: groupKind, targetId: id, action: LET_GO } })) > 0
}
