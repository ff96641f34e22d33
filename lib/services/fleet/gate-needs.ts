import type { FleetScope } from '@/lib/db/queries/fleet'
import { db } from '@/lib/db/client'
import type { GateStatus } from '../gate/status'
import type { Need } from './needs-you'

const DETAIL = 'Nothing is updated in place until it is registered again.'

/** Connected clusters whose registration somebody took away, or went when they were disconnected and is not there again. */
export async function gateNeeds(scope: FleetScope): Promise<Need[]> {
  const rows = await db().managementCluster.findMany({
    where: {
      ...{ state: { not: 'disconnected' }, gateState: 'unregistered' },
      ...(scope.cluster ? { name: scope.cluster } : {}),
    },
    select: { id: true, name: true, gateStatus: true, policy: { select: { governs: true } } },
    orderBy: { name: 'asc' },
  })
  const taken = (row: (typeof rows)[number]) => (row.gateStatus as unknown as GateStatus | null)?.takenAt
  const governed = rows.filter((row) => !taken(row) && row.policy && row.policy.governs !== 'none')
  const left = await leftSince(governed.map(({ id }) => id))
  return rows.flatMap((row): Need[] => {
    const { id, name } = row
    const common = { id, where: name, hull: null, held: false, detail: DETAIL }
    const action = { label: 'Register again', href: `/clusters/${id}` }
    const takenAt = taken(row)
    if (takenAt)
      return [
        {
          ...{ ...common, action, kind: 'gate-gone', since: takenAt },
          sentence: 'The update gate was taken away; what the latch does not hold is replaced unasked',
        },
      ]
    const since = left.get(id)
    return since
      ? [
          {
            ...{ ...common, action, kind: 'gate-left', since: since.toISOString() },
            sentence: `The update gate is not registered since ${name} was connected again; what the latch does not hold is replaced unasked`,
          },
        ]
      : []
  })
}

/** Of clusters that had a registration when they were disconnected: when they were connected again. */
async function leftSince(ids: string[]): Promise<Map<string, Date>> {
  if (ids.length === 0) return new Map()
  const said = await db().auditEvent.findMany({
    where: {
      ...{ targetId: { in: ids }, targetKind: { in: ['ManagementCluster', 'ExtensionConfig'] }, result: 'ok' },
      action: { in: ['gate.registered', 'cluster.disconnected', 'cluster.connected-again'] },
    },
    select: { targetId: true, action: true, at: true },
    orderBy: { id: 'asc' },
  })
  const left = new Map<string, Date>()
  const had = new Set<string>()
  for (const { targetId: id, action, at } of said) {
    if (action === 'gate.registered') {
      had.add(id)
      left.delete(id)
    } else if (had.has(id) && (action === 'cluster.disconnected' || left.has(id))) left.set(id, at)
  }
  return left
}
