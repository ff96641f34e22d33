import { db } from '@/lib/db/client'
import type { Fidelity } from './fidelity'

/** How right Drydock was, over the changes that came to their end. */
export interface TrackRecord extends Fidelity {
  changes: number
}

/** Of one group, of a management cluster, or of the whole fleet. Null: nothing foretold has come to its end there yet. */
export async function trackRecord(of: { groupId?: string; clusterId?: string }): Promise<TrackRecord | null> {
  const { _sum, _count } = await db().change.aggregate({
    where: { ...of, state: 'done', foretold: { not: null } },
    _sum: { foretold: true, asForetold: true },
    _count: true,
  })
  return _count > 0 ? { changes: _count, foretold: _sum.foretold ?? 0, asForetold: _sum.asForetold ?? 0 } : null
}
