import type { FleetScope } from '@/lib/db/queries/fleet'
import { db } from '@/lib/db/client'
import type { GateStatus } from '../gate/status'
import type { Need } from './needs-you'

/** Connected clusters whose registration somebody took away. */
export async function gateNeeds(scope: FleetScope): Promise<Need[]> {
  const rows = await db().managementCluster.findMany({
    where: {
      ...{ state: { not: 'disconnected' }, gateState: 'unregistered' },
      gateStatus: { path: ['takenAt'], not: '' },
      ...(scope.cluster ? { name: scope.cluster } : {}),
    },
    select: { id: true, name: true, gateStatus: true },
    orderBy: { name: 'asc' },
  })
  return rows.flatMap(({ id, name, gateStatus }) => {
    const { takenAt } = gateStatus as unknown as GateStatus
    if (!takenAt) return []
    return [
      {
        ...{ kind: 'gate-gone', id, where: name, hull: null, held: false, since: takenAt },
        sentence: 'The update gate was taken away; what the latch does not hold is replaced unasked',
        detail: 'Nothing is updated in place until it is registered again.',
        action: { label: 'Register again', href: `/clusters/${id}` },
      },
    ]
  })
}
