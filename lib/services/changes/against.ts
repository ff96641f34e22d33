import type { Tx } from '@/lib/db/client'

/** Who said no to a change, and how. */
export interface Against {
  by: string
  how: 'rejected' | 'taken-back'
}

/**
 * In SQL, of a change by its table's alias: the words against it, newest first, where nobody let it go, or counted it as done, since.
 * What became of a rejection does not matter: whoever takes its hold away, or a cluster that cannot be told, or is disconnected, takes
 * no word back. An approval counts of who had let it go. All times are the database's.
 */
const againstSql = (c: string): string => `
SELECT no.by, no.how, no.at FROM (
  SELECT actor_name AS by, 'rejected' AS how, recorded_at AS at FROM decision WHERE change_id = ${c}.id AND mode = 'reject'
  UNION ALL SELECT a.actor_name, 'taken-back', a.ended_at FROM approval a WHERE a.change_id = ${c}.id AND a.ended_why = 'withdrawn'
    AND EXISTS (SELECT 1 FROM decision d WHERE d.change_id = ${c}.id AND d.mode <> 'reject' AND d.accepted_at IS NOT NULL
      AND d.policy->'approvals' @> jsonb_build_array(jsonb_build_object('actorId', a.actor_id)))
  UNION ALL SELECT ${c}.against_by, ${c}.against_how, ${c}.against_at
) no
WHERE no.at > coalesce(greatest(${c}.counted_done_at,
  (SELECT max(recorded_at) FROM decision WHERE change_id = ${c}.id AND mode <> 'reject' AND accepted_at IS NOT NULL)), '-infinity')
ORDER BY no.at DESC`

/** Whether there is such a word. */
export const isAgainstSql = (c: string): string => `EXISTS (${againstSql(c)})`

/** The newest word against a change; null: there is none that stands. */
export async function againstOf(tx: Tx, changeId: string): Promise<Against | null> {
  const sql = `SELECT word.by, word.how FROM change c CROSS JOIN LATERAL (${againstSql('c')} LIMIT 1) word WHERE c.id = $1::uuid`
  const [word] = await tx.$queryRawUnsafe<Against[]>(sql, changeId)
  return word ?? null
}

/** What stands against a change stands against the one that continues it. */
export const keepAgainst = (tx: Tx, from: string, to: string): Promise<number> =>
  tx.$executeRawUnsafe(
    `UPDATE change k SET against_by = word.by, against_how = word.how, against_at = word.at
    FROM change c CROSS JOIN LATERAL (${againstSql('c')} LIMIT 1) word WHERE c.id = $1::uuid AND k.id = $2::uuid`,
    ...[from, to],
  )
