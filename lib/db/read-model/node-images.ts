import { judged, JUDGED_COLUMNS } from '../queries/node-image-judged'
import { announce } from '../notify'
import type { Marked } from './marked'

const COLUMNS = JUDGED_COLUMNS.split(',').map((column) => column.trim())
const TOLD = COLUMNS.filter((column) => column !== 'id')
const list = (of: string): string => TOLD.map((column) => `${of}.${column}`).join(', ')

/**
 * The marks that are seen go with what was judged of the same moment; a mark of a transaction that ends later stays. Of clusters that
 * are gone, nothing is found, and their rows go.
 */
const JUDGE = `WITH seen AS (DELETE FROM node_image_stale WHERE cluster_id = ANY($1::uuid[])),
  now AS MATERIALIZED (${judged('$1::uuid[]')}),
  gone AS (DELETE FROM node_image k WHERE k.cluster_id = ANY($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM now WHERE now.id = k.id) RETURNING k.cluster_id),
  put AS (INSERT INTO node_image AS k (${JUDGED_COLUMNS}) SELECT ${JUDGED_COLUMNS} FROM now
  ON CONFLICT (id) DO UPDATE SET (${TOLD.join(', ')}) = (${list('EXCLUDED')}) WHERE (${list('k')}) IS DISTINCT FROM (${list('EXCLUDED')}) RETURNING k.cluster_id)
  SELECT cluster_id AS id FROM gone UNION SELECT cluster_id FROM put`

/** What nodes started from, judged. Tab Nodes waits for none of it: what is marked it judges itself; lists of clusters read it. */
export const NODE_IMAGES: Marked = {
  ...{ lock: 7_207_009, marks: 'node_image_stale', rows: 'node_image' },
  write: async (client, clusterIds) => {
    const { rows } = await client.query<{ id: string }>(JUDGE, [clusterIds])
    for (const { id } of rows) await announce(client, { topic: 'boot-images', cluster: id })
  },
}
