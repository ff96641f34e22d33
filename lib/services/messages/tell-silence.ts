import { db } from '@/lib/db/client'
import { queueMessage } from './queue'

/** Longer than a restart of an API server, or of a worker. */
const SILENT = `coalesce(last_heard_at, created_at) < now() - interval '15 minutes'`
const AGAIN = `
UPDATE management_cluster SET silence_told_at = NULL WHERE silence_told_at IS NOT NULL AND NOT ${SILENT}`
const TOLD = `
UPDATE management_cluster SET silence_told_at = now() WHERE id IN (
  SELECT id FROM management_cluster WHERE silence_told_at IS NULL AND state <> 'disconnected' AND ${SILENT}
  ORDER BY id FOR UPDATE SKIP LOCKED)
RETURNING id::text, name, coalesce(last_heard_at, created_at) AS since`

/** Management clusters of which nothing is heard for long, each told once. */
export async function tellSilence(): Promise<void> {
  if ((await db().webhook.count()) === 0) return
  await db().$executeRawUnsafe(AGAIN)
  await db().$transaction(async (tx) => {
    const silent = await tx.$queryRawUnsafe<{ id: string; name: string; since: Date }[]>(TOLD)
    for (const { id, name, since } of silent)
      await queueMessage(tx, {
        ...{ kind: 'cluster-silent', what: name, since: since.toISOString(), cluster: name },
        ...{ object: null, by: null, path: `/clusters/${id}` },
      })
  })
}
