/** As much as a drain that fails (lib/domain/pools/node-words.ts): less than degraded, more than what only waits. */
const STUCK = 70

/** In SQL, of pool p: how bad it is, with its nodes that are stuck. */
export const POOL_SEVERITY = `greatest(p.severity, CASE WHEN EXISTS (
  SELECT 1 FROM config_node k WHERE k.cluster_id = p.cluster_id AND k.pool = p.name AND k.stuck_from <= now()) THEN ${STUCK} ELSE 0 END)`
