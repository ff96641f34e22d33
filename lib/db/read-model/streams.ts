import type { Pool } from 'pg'
import { jsonText } from '../json'
import { fenced, type Fence } from './fence'

export interface StreamRow {
  resource: string
  state: string
  objects: number
  events: number
  relists: number
  resourceVersion: string | null
  /** ms since epoch */
  lastHeardAt: number | null
  message: string | null
}

/** Writes how a cluster's watches are, drops those that are no more, and the newest moment that any of them heard something. */
export async function writeStreams(pool: Pool, fence: Fence, streams: StreamRow[], notify: boolean): Promise<void> {
  const document = jsonText(
    streams.map((s) => ({ ...s, lastHeardAt: s.lastHeardAt === null ? null : new Date(s.lastHeardAt) })),
  )
  await fenced(pool, fence, async (client, say) => {
    await client.query(
      `INSERT INTO stream AS t (cluster_id, resource, state, objects, events, relists, resource_version, last_heard_at, message)
       SELECT $1::uuid, r.resource, r.state, r.objects, r.events, r.relists, r."resourceVersion", r."lastHeardAt", r.message
       FROM json_to_recordset($2::json) AS r(resource text, state text, objects int, events bigint, relists int,
         "resourceVersion" text, "lastHeardAt" timestamptz, message text)
       ON CONFLICT (cluster_id, resource) DO UPDATE SET state = EXCLUDED.state, objects = EXCLUDED.objects,
         events = EXCLUDED.events, relists = EXCLUDED.relists, resource_version = EXCLUDED.resource_version,
         last_heard_at = coalesce(EXCLUDED.last_heard_at, t.last_heard_at), message = EXCLUDED.message`,
      [fence.clusterId, document],
    )
    await client.query('DELETE FROM stream WHERE cluster_id = $1 AND resource <> ALL($2::text[])', [
      fence.clusterId,
      streams.map((s) => s.resource),
    ])
    await client.query(
      `UPDATE management_cluster SET last_heard_at = (SELECT max(last_heard_at) FROM stream WHERE cluster_id = $1) WHERE id = $1`,
      [fence.clusterId],
    )
    if (notify) say({ topic: 'streams', cluster: fence.clusterId })
  })
}
