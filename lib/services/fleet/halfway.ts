import { db } from '@/lib/db/client'
import type { FleetScope } from '@/lib/db/queries/fleet'
import { SHOWN } from '@/lib/db/queries/shown'
import { PATIENCE_MS } from '../openshift/action-row'
import { isHalfway, waysOf } from '../openshift/halfway'
import { stepsOf } from '../openshift/row-steps'
import { whatStands } from '../openshift/what-stands'
import type { Need } from './needs-you'

/**
 * Decisions in several writes of which some are stored, or may be, and one failed: nothing goes on or back there without a person; or what
 * the next one waits for does not come.
 */
export async function halfwayNeeds(scope: FleetScope): Promise<Need[]> {
  // Of those that failed there is one of an object at most: a newer decision ends it, or is refused for it.
  const rows = await db().openShiftAction.findMany({
    where: {
      OR: [
        { state: 'failed', step: { gt: 0 } },
        // Of the first of several the answer may be lost.
        { state: 'failed', steps: { path: ['1', 'state'], equals: 'open' } },
        { state: 'waiting', waitsSince: { lt: new Date(Date.now() - PATIENCE_MS) } },
      ],
      cluster: { state: { not: 'disconnected' }, ...(scope.cluster && { name: scope.cluster }) },
    },
    select: {
      ...{
        id: true,
        clusterId: true,
        state: true,
        waitsSince: true,
        actorName: true,
        recordedAt: true,
        cluster: { select: { name: true } },
      },
      ...{ steps: true, calls: true, step: true, attempts: true, generation: true, uid: true, error: true },
    },
    orderBy: { recordedAt: 'asc' },
  })
  const halfway = rows.filter((row) => row.state === 'waiting' || isHalfway(row))
  return halfway.slice(0, SHOWN + 1).map((row): Need => {
    const step = stepsOf(row)[row.step]
    const label = step?.label ?? 'a write'
    const waits = row.state === 'waiting'
    const why = waits ? `${label} waits for longer than it should until ${step?.waitsFor}` : `${label} failed`
    return {
      ...{ kind: 'halfway', id: row.id, where: row.cluster.name, hull: null, held: false },
      since: (waits ? row.waitsSince! : row.recordedAt).toISOString(),
      sentence: `A decision of ${row.actorName} stands in the middle: ${why}. ${whatStands(row)}.`,
      detail: waits
        ? 'It goes on by itself as soon as that comes. Until then it can be taken back, or left as it stands.'
        : `${waysOf(row)}: that is to be decided.`,
      action: { label: 'See where it stands', href: `/boot-images/${row.clusterId}` },
    }
  })
}
