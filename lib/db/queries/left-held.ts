import { pool } from '../client'

/** A management cluster that was disconnected, and how many groups stay held there. */
export interface LeftHeldRow {
  id: string
  name: string
  groups: number
}

const LEFT = `
SELECT m.id::text, m.name, jsonb_array_length(e.details->'staysHeld') AS groups
FROM management_cluster m CROSS JOIN LATERAL (
  SELECT details FROM audit_event
  WHERE target_kind = 'ManagementCluster' AND target_id = m.id::text AND action = 'cluster.disconnected' AND result = 'ok' AND at > now() - interval '7 days'
  ORDER BY id DESC LIMIT 1
) e
WHERE NOT EXISTS (SELECT FROM cluster_credential c WHERE c.cluster_id = m.id) AND ($1::text IS NULL OR m.name = $1)
  AND CASE WHEN jsonb_typeof(e.details->'staysHeld') = 'array' THEN jsonb_array_length(e.details->'staysHeld') > 0 END
ORDER BY m.name, m.id LIMIT 20`

/** As it was on record when they were left: nobody asks their API servers any more. For a week: what was retired is no news for ever. */
export async function leftHeldRows(cluster: string | null): Promise<LeftHeldRow[]> {
  return (await pool().query<LeftHeldRow>(LEFT, [cluster])).rows
}
