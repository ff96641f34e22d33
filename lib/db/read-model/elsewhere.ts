import type { Pool } from 'pg'
import { fenced, type Fence } from './fence'

const GONE = `
UPDATE stream s SET elsewhere = 0, elsewhere_in = '{}' WHERE s.cluster_id = $1 AND s.elsewhere > 0
  AND EXISTS (SELECT 1 FROM unnest(s.elsewhere_in) AS o(id) WHERE NOT EXISTS (SELECT 1 FROM cluster_credential k WHERE k.cluster_id = o.id))`

/**
 * Objects whose rows belonged to another connected cluster are this one's alone, for that was disconnected: true once. Nothing may
 * ever be heard of them again, so everything is to be listed anew.
 */
export async function othersGone(pool: Pool, fence: Fence): Promise<boolean> {
  return fenced(pool, fence, async (client, say) => {
    const { rowCount } = await client.query(GONE, [fence.clusterId])
    if (rowCount) say({ topic: 'streams', cluster: fence.clusterId })
    return (rowCount ?? 0) > 0
  })
}
