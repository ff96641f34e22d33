import type { FleetScope } from '@/lib/db/queries/fleet'
import { db } from '@/lib/db/client'
import { latchOf } from '../latch/status'
import { watchesNow } from '../latch/watch-now'

export interface Unlatched {
  id: string
  name: string
  sentence: string
  detail: string
  since: string | null
}

/** Connected clusters with governed groups whose latch may not hold. `silent`: those of which something else says why. */
export async function unlatchedClusters(scope: FleetScope, silent: ReadonlySet<string>): Promise<Unlatched[]> {
  const rows = await db().managementCluster.findMany({
    where: {
      state: { not: 'disconnected' },
      policy: { governs: { not: 'none' } },
      ...(scope.cluster ? { name: scope.cluster } : {}),
    },
    select: { id: true, name: true, latchForm: true, latchStatus: true },
    orderBy: { name: 'asc' },
  })
  const watches = await watchesNow()
  return rows.flatMap((row) => {
    const { state, message, unprotected, since } = latchOf(row.latchForm, row.latchStatus, watches.get(row.id))
    if (!unprotected || (state === 'unknown' && silent.has(row.id))) return []
    return {
      ...{ id: row.id, name: row.name, detail: message, since: since ?? null },
      sentence:
        state === 'unknown'
          ? 'Whether its latch still holds is not known'
          : 'Nothing may hold changes of its governed groups: they could go ahead unapproved',
    }
  })
}
