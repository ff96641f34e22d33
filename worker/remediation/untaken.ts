import { db, pool } from '@/lib/db/client'
import { besides } from '../beside'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'
import { markOf } from './write'

/** Noted as taken, and it is there still. A call of half a minute has come to its end by then: what is there then stays there. */
const FOUND = `
SELECT s.change_id AS "changeId", s.machine_id AS "machineId", s.at, m.namespace, m.name
FROM remediation_skip s JOIN machine m ON m.id = s.machine_id
WHERE s.state = 'taken' AND s.at < now() - interval '1 minute' AND m.cluster_id = $1::uuid AND m.skip_mark = s.change_id::text
  AND EXISTS (SELECT 1 FROM management_cluster k WHERE k.id = m.cluster_id AND k.state <> 'disconnected')
ORDER BY s.at LIMIT 200`

interface Found {
  changeId: string
  machineId: string
  at: Date
  namespace: string
  name: string
}

/**
 * Whoever was to take a mark away did not come to that: it is set as before, and whoever takes it away from now on is not fought.
 * The machine itself is asked, for a watch that is late shows for long what was taken.
 */
export async function noteUntaken(view: ClusterView): Promise<void> {
  const { rows } = await pool().query<Found>(FOUND, [view.clusterId])
  const note = async ({ changeId, machineId, at, namespace, name }: Found): Promise<void> => {
    if ((await markOf(view, { machineId, namespace, name })) !== changeId) return
    await db().$transaction(async (tx) => {
      await owned(tx, view)
      const where = { changeId, machineId, state: 'taken', at }
      await tx.remediationSkip.updateMany({ where, data: { state: 'set' } })
    })
  }
  // One that is not answered about keeps no other one from being noted.
  await beside(view).each(rows, ({ changeId, machineId }) => `${changeId} ${machineId}`, note)
}

const beside = besides()
