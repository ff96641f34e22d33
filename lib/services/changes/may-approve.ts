import { pool } from '@/lib/db/client'
import { may, ROLES, type Ctx } from '../context'

/** Who may still approve a change: how many people, and the first of their names. */
export interface MayApprove {
  count: number
  /** Null: this person is not told who the others are. */
  names: string[] | null
}

const NAMED = 8

const PEOPLE = `
SELECT name, (count(*) OVER ())::int AS n FROM "user"
WHERE disabled_at IS NULL AND role = ANY($1) AND NOT (id = ANY($2))
  AND ($3::text IS NULL OR lower($3) NOT IN (lower(name), lower(email)))
ORDER BY name, id LIMIT ${NAMED}`

/**
 * With one query, however many people there are. `not`: those whose approvals count already; `author`: where whoever wrote it is
 * ruled out. Names are for those who may approve themselves: they are the ones who ask somebody.
 */
export async function mayStillApprove(
  { actor }: Ctx,
  not: Iterable<string>,
  author: string | null,
): Promise<MayApprove> {
  const roles = ROLES.filter((role) => may(role, 'changes:approve'))
  const { rows } = await pool().query<{ name: string; n: number }>(PEOPLE, [roles, [...not], author?.trim() ?? null])
  return {
    count: rows[0]?.n ?? 0,
    names: may(actor.role, 'changes:approve') ? rows.map(({ name }) => name) : null,
  }
}
