import type { Tx } from '@/lib/db/client'
import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { POOL } from '@/lib/domain/latch/hold'
import { DATE_UNAPPROVED, LET_GO, NOT_HELD } from './let-go-outside'

/**
 * Somebody rejected, stopped or let go this very desired state before, the cluster refused it, it began without having been held, or its
 * date came unapproved: from then on it is for people. Of a pool a node or two begin before that as a rule.
 */
export const isForPeople = async ({ id }: Pick<Change, 'id'>): Promise<boolean> =>
  (await forPeopleAmong(db(), [id])).has(id)

/** The same of many, with one query: the ids of those that are for people. Also by what was decided over another connection. */
export async function forPeopleAmong(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM change c WHERE c.id = ANY(${ids}::uuid[]) AND (
      EXISTS (SELECT 1 FROM change b JOIN decision d ON d.change_id = b.id
        WHERE b.group_id = c.group_id AND b.digest = c.digest
          AND (d.mode = 'reject' OR d.state IN ('voided', 'failed')))
      OR (c.group_kind <> ${POOL} AND EXISTS (SELECT 1 FROM change b JOIN audit_event a
        ON a.target_kind = b.group_kind AND a.target_id = b.id::text AND a.action IN (${NOT_HELD}, ${DATE_UNAPPROVED})
        WHERE b.group_id = c.group_id AND b.digest = c.digest))
      OR EXISTS (SELECT 1 FROM audit_event a
        WHERE a.target_kind = c.group_kind AND a.target_id = c.id::text AND a.action = ${LET_GO}))`
  return new Set(rows.map(({ id }) => id))
}
