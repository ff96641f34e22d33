import { db } from '@/lib/db/client'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/**
 * Before a mark is taken away because its cluster is left: should that not come to its end, the worker sets it again, also for what
 * is over, or rejected, and goes on to its end. Whether that is why: of a cluster that nobody leaves, and of a mark that names no
 * change, nothing is noted.
 */
export const noteTaken = async (machineId: string, mark: string): Promise<boolean> =>
  UUID.test(mark) &&
  (await db().$executeRaw`
    UPDATE remediation_skip s SET state = 'taken' FROM change c JOIN management_cluster k ON k.id = c.cluster_id
    WHERE s.machine_id = ${machineId}::uuid AND s.change_id = ${mark}::uuid AND s.state IN ('setting', 'set', 'taken')
      AND c.id = s.change_id AND k.state = 'disconnected'`) > 0
