import { db } from '@/lib/db/client'

/** On record as the end of approvals: the configuration of its machines was edited beside what differs. */
export const CONFIG_EDITED = 'approval.config-edited'

/** Whoever approves it by now has not been shown what is another one since somebody else did. */
export interface ConfigEdited {
  at: string
  /** Objects of which one or more was edited, as "KubeadmConfigTemplate w-1"; empty: not kept. */
  objects: string[]
}

/** Of changes that wait, and are not approved anew: what was edited since they were approved. Those of which that is none are left out. */
export async function configEdited(ids: readonly string[]): Promise<Record<string, ConfigEdited>> {
  if (ids.length === 0) return {}
  const rows = await db().$queryRaw<{ id: string; at: Date; objects: string[] | null }[]>`
    SELECT c.id::text, max(a.at) AS at, array_agg(DISTINCT o.name) FILTER (WHERE o.name IS NOT NULL) AS objects
    FROM change c
    JOIN audit_event a ON a.target_kind = c.group_kind AND a.target_id = c.id::text AND a.action = ${CONFIG_EDITED}
    LEFT JOIN LATERAL jsonb_array_elements_text(coalesce(a.details->'objects', '[]'::jsonb)) AS o(name) ON true
    WHERE c.id = ANY(${ids}::uuid[]) AND c.state IN ('waiting', 'rejected') AND c.due_mode IS NULL
      AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode <> 'reject' AND d.recorded_at > a.at)
    GROUP BY c.id`
  return Object.fromEntries(
    rows.map(({ id, at, objects }) => [id, { at: at.toISOString(), objects: (objects ?? []).sort() }]),
  )
}
