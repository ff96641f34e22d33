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
  /** ms since epoch, by this process's clock: what happened until then is in the rows; null: as was said before. */
  seenAt: number | null
  message: string | null
}

/** Writes how a cluster's watches are, drops those that are no more, and the newest moment that any of them heard something. */
export async function writeStreams(pool: Pool, fence: Fence, streams: StreamRow[], notify: boolean): Promise<void> {
  await fenced(pool, fence, async (client, say) => {
    // As an age: who goes by it goes by the database's clock.
    const document = jsonText(
      streams.map(({ seenAt, ...s }) => ({
        ...{ ...s, lastHeardAt: s.lastHeardAt === null ? null : new Date(s.lastHeardAt) },
        seenAgo: seenAt === null ? null : Math.max(0, Date.now() - seenAt),
      })),
    )
    await client.query(
      `INSERT INTO stream AS t (cluster_id, resource, state, objects, events, relists, resource_version, last_heard_at, seen_until, message)
       SELECT $1::uuid, r.resource, r.state, r.objects, r.events, r.relists, r."resourceVersion", r."lastHeardAt",
         now() - r."seenAgo" * interval '1 millisecond', r.message
       FROM json_to_recordset($2::json) AS r(resource text, state text, objects int, events bigint, relists int,
         "resourceVersion" text, "lastHeardAt" timestamptz, "seenAgo" float8, message text)
       ON CONFLICT (cluster_id, resource) DO UPDATE SET state = EXCLUDED.state, objects = EXCLUDED.objects,
         events = EXCLUDED.events, relists = EXCLUDED.relists, resource_version = EXCLUDED.resource_version,
         last_heard_at = coalesce(EXCLUDED.last_heard_at, t.last_heard_at),
         seen_until = coalesce(EXCLUDED.seen_until, t.seen_until), message = EXCLUDED.message`,
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
