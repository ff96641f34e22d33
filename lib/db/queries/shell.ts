import { movesNobodySql } from './moves-nobody'
import { pool } from '../client'
import { CLOSES, CLUSTERS, FAILS_BESIDES } from './boot-image-where'

export interface ShellCluster {
  id: string
  name: string
  /** Where only some of its watches are down: those. */
  lastHeardAt: string | null
  /** Why its data is old, as words that end "last heard 42 s ago, …"; null: it is live. */
  trouble: string | null
  /** No worker follows it, for longer than a lease lasts; since when, as far as one ever did. Null: one does. */
  away: { since: string | null } | null
  disconnected: boolean
}

/** Management clusters, and of each whether what is shown of it is live. */
export async function clusterLiveness(): Promise<ShellCluster[]> {
  const { rows } = await pool().query<{
    id: string
    name: string
    state: string
    message: string | null
    heard: Date | null
    owned: boolean
    until: Date | null
    down: number
    broken: string | null
    downHeard: Date | null
  }>(`
    SELECT c.id, c.name, c.state, c.state_message AS message, c.last_heard_at AS heard, coalesce(l.until > now(), false) AS owned, l.until,
           s.down, s.broken, s.heard AS "downHeard"
    FROM management_cluster c LEFT JOIN cluster_lease l ON l.cluster_id = c.id CROSS JOIN LATERAL (
      SELECT count(*)::int AS down, string_agg(resource, ', ' ORDER BY resource) FILTER (WHERE state = 'backoff') AS broken, min(last_heard_at) AS heard
      FROM stream WHERE cluster_id = c.id AND state NOT IN ('watching', 'absent')) AS s
    ORDER BY c.name`)
  return rows.map((row) => {
    const { id, name, state, heard, owned, until, downHeard } = row
    const ofWatches = state === 'connected' && owned ? watchesDown(row) : null
    return {
      id,
      name,
      // What else is heard says nothing of those.
      lastHeardAt: (ofWatches ? downHeard : heard)?.toISOString() ?? null,
      trouble: ofWatches ?? troubleOf(state, owned),
      away: owned || state === 'disconnected' ? null : { since: until?.toISOString() ?? null },
      disconnected: state === 'disconnected',
    }
  })
}

/** Connected, the worker writes a message where the API server refuses a watch, with the server's own words after ours. */
function watchesDown({ message, down, broken }: { message: string | null; down: number; broken: string | null }) {
  if (message && down > 0) return message.split(': ')[0]!
  return broken && `reconnecting to ${broken.split(',').length > 3 ? 'its watches' : broken}`
}

function troubleOf(state: string, owned: boolean): string | null {
  if (state === 'disconnected') return null
  if (state === 'unauthorised') return 'its API server no longer accepts Drydock’s credentials'
  if (!owned) return 'no worker follows it'
  if (state === 'unreachable') return 'reconnecting'
  return null
}

export interface ScopeChoice {
  cluster: string
  workload: string
}

/** What the scope can be narrowed to. */
export async function scopeChoices(): Promise<ScopeChoice[]> {
  const { rows } = await pool().query<ScopeChoice>(`
    SELECT c.name AS cluster, w.name AS workload FROM workload_cluster w JOIN management_cluster c ON c.id = w.cluster_id
    ORDER BY 1, 2 LIMIT 1000`)
  return rows
}

/**
 * How many changes wait for an approval, and how many OpenShift clusters’ boot images for somebody: they keep updates closed, the
 * operator fails to update them, what they are told by is not heard, or what was decided on them is to be looked at again.
 */
export async function waitingCounts(): Promise<{ changes: number; skew: number }> {
  const { rows } = await pool().query<{ changes: number; skew: number }>(`
    SELECT (SELECT count(*)::int FROM change c WHERE (state = 'waiting' OR settling AND stopped_at IS NOT NULL AND state IN ('running', 'stuck')) AND (due_mode IS NULL OR stopped_at IS NOT NULL OR step_waits_at IS NOT NULL) AND (stopped_at IS NOT NULL OR held_by NOT IN ('person', 'none')) AND NOT outlook ? 'blocked' AND NOT ${movesNobodySql('c')}) AS changes,
           (SELECT count(*)::int FROM ${CLUSTERS} WHERE ${CLOSES} OR o.flagged_why IS NOT NULL
             OR ${FAILS_BESIDES} OR o.unheard_why IS NOT NULL OR w.review_at <= now()) AS skew`)
  return rows[0]!
}
