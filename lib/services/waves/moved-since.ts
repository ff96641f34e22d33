import type { Tx } from '@/lib/db/client'
import { begunSql } from '../changes/states'
import type { Run } from './runs'

/**
 * Whether anything of a wave has moved since somebody said that it begins, whatever its groups want by now: the name of the first
 * group that has; null: none.
 */
export async function movedSince(tx: Tx, { policy, wish }: Run, wave: string, at: string): Promise<string | null> {
  const rows = await tx.$queryRawUnsafe<{ name: string }[]>(
    `SELECT concat_ws('/', k.name, c.workload_cluster, c.group_name) AS name
    FROM change c JOIN management_cluster k ON k.id = c.cluster_id
    WHERE c.wish = $1 AND c.wave->>'policyId' = $2 AND c.wave->>'name' = $3
      AND ((c.state = 'done' AND c.finished_at >= $4) OR ${begunSql('c.id', undefined, '$4')})
    ORDER BY c.detected_at, c.id LIMIT 1`,
    ...[wish, policy.id, wave, new Date(at)],
  )
  return rows[0]?.name ?? null
}
