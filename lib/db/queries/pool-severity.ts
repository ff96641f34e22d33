import { CERTIFICATE_MARGIN_DAYS } from '@/lib/domain/holds'

/** As much as a drain that fails (lib/domain/pools/node-words.ts): less than degraded, more than what only waits. */
const STUCK = 70

/** In SQL, of pool p: paused, with nodes that trust a certificate which is near its end. */
export const CERT_ENDS = `(p.paused AND p.machines > 0 AND p.cert_expiry < now() + interval '${CERTIFICATE_MARGIN_DAYS} days')`

/** In SQL, of pool p: how bad it is, with its nodes that are stuck, and certificates that may not reach them. */
export const POOL_SEVERITY = `greatest(p.severity, CASE WHEN ${CERT_ENDS} OR EXISTS (
  SELECT 1 FROM config_node k WHERE k.cluster_id = p.cluster_id AND k.pool = p.name AND k.stuck_from <= now()) THEN ${STUCK} ELSE 0 END)`
