import type { FleetScope } from '@/lib/db/queries/fleet'
import type { ShellCluster } from '@/lib/db/queries/shell'
import { db } from '@/lib/db/client'
import { latchOf, type LatchStateName } from '../latch/status'
import { watchesNow } from '../latch/watch-now'
import type { Need } from './needs-you'

export interface Unlatched {
  need: Need
  /** It is so for certain, at this moment, and whoever writes to its groups feels it. */
  certain: boolean
}

/**
 * Connected clusters with governed groups whose latch may not hold, or lets nobody write. `troubled`: those of which
 * something else says why nothing is known of them.
 */
export async function unlatchedClusters(scope: FleetScope, troubled: readonly ShellCluster[]): Promise<Unlatched[]> {
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
  const silent = new Map(troubled.map((c) => [c.id, c]))
  return rows.flatMap((row) => {
    const away = silent.get(row.id)?.away ?? null
    const { state, message, trouble, since } = latchOf(row.latchForm, row.latchStatus, watches.get(row.id), away)
    if (!trouble || (state === 'unknown' && silent.has(row.id))) return []
    const need: Need = {
      ...{
        kind: kindOf(state, away !== null),
        id: row.id,
        where: row.name,
        hull: null,
        held: false,
        since: since ?? null,
      },
      ...{ sentence: sentenceOf(state, row.name, away !== null), detail: message },
      action: { label: 'See the latch', href: `/clusters/${row.id}` },
    }
    return [{ need, certain: state === 'not-watching' || state === 'unreachable' }]
  })
}

/** Whether groups are not protected, nobody can write to them, or neither is known. */
function kindOf(state: LatchStateName, away: boolean): Need['kind'] {
  if (state === 'unknown' || state === 'untried' || (state === 'unreachable' && away)) return 'latch-unknown'
  return state === 'unreachable' ? 'latch-refuses' : 'latch'
}

function sentenceOf(state: LatchStateName, name: string, away: boolean): string {
  switch (state) {
    case 'unknown':
      return 'Whether its latch still holds is not known'
    case 'untried':
      return 'Whether its latch holds could not be tried'
    case 'not-watching':
      return `Nothing holds changes of ${name} now`
    case 'unreachable':
      return `Writes that would roll out governed groups of ${name} ${away ? 'may be' : 'are'} refused now`
    default:
      return 'Changes of its governed groups could go ahead unapproved: it may be that nothing holds them'
  }
}
