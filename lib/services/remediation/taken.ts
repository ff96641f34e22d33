import { db } from '@/lib/db/client'
import { namesChange } from '@/lib/domain/health-checks'

/**
 * Before a mark is taken away because its cluster is left: should that not come to its end, the worker sets it again, also for what
 * is over, or rejected, and goes on to its end. Also where it has been connected again since that was asked: the call comes after.
 * Of a mark that names no change nothing is noted.
 */
export async function noteTaken(machineId: string, mark: string): Promise<void> {
  if (!namesChange(mark)) return
  await db().$executeRaw`
    UPDATE remediation_skip SET state = 'taken', at = now()
    WHERE machine_id = ${machineId}::uuid AND change_id = ${mark}::uuid AND state IN ('setting', 'set', 'taken')`
}
