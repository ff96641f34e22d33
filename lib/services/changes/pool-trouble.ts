import { pool } from '@/lib/db/client'
import { POOL } from '@/lib/domain/latch/hold'
import { passesByItself } from '@/lib/domain/pools/rendering'
import { isDegradedByNodes } from '@/lib/domain/pools/state'
import type { Condition } from '@/lib/domain/skew/types'

export interface PoolTrouble {
  words: string
  /** No more is wrong than with its nodes. */
  byNodes: boolean
}

interface Row {
  id: string
  degraded: boolean
  sentence: string
  conditions: Condition[]
  clusterUpdating: boolean | null
  stuck: number
  example: string | null
}

const TROUBLED = `SELECT p.id, p.state = 'degraded' AS degraded, p.sentence, p.conditions,
    p.cluster_updating AS "clusterUpdating", s.n AS stuck, s.example
  FROM config_pool p CROSS JOIN LATERAL (
    SELECT count(*)::int AS n, (array_agg(n.name || ': ' || n.sentence ORDER BY n.severity DESC, n.name))[1] AS example
    FROM config_node n WHERE n.cluster_id = p.cluster_id AND n.pool = p.name AND n.stuck_from <= now()) s
  WHERE p.id = ANY($1::uuid[]) AND (p.state = 'degraded' OR s.n > 0)`

/** What is wrong with pools before their changes are approved, which mends none of it; by the ids of pools. */
export async function poolTroubles(
  changes: readonly { groupId: string; groupKind: string }[],
): Promise<Map<string, PoolTrouble>> {
  const ids = changes.flatMap(({ groupId, groupKind }) => (groupKind === POOL ? [groupId] : []))
  if (ids.length === 0) return new Map()
  const { rows } = await pool().query<Row>(TROUBLED, [ids])
  const now = Date.now()
  return new Map(
    rows.flatMap((row) => {
      const trouble = troubleOf(row, now)
      return trouble ? [[row.id, trouble]] : []
    }),
  )
}

function troubleOf(
  { degraded, sentence, conditions, clusterUpdating, stuck, example }: Row,
  now: number,
): PoolTrouble | null {
  if (degraded && !passesByItself(conditions, clusterUpdating, now))
    return { words: `Its pool is degraded: ${sentence}`, byNodes: isDegradedByNodes(conditions) }
  if (stuck === 0) return null
  const nodes = stuck === 1 ? 'A node of its pool is stuck' : `${stuck} nodes of its pool are stuck`
  return { words: `${nodes}. ${example}`, byNodes: true }
}
