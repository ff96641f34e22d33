import { db, type Tx } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { ObjectSource } from '@/lib/providers/cluster-api/changes'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import type { CoverageBook } from './coverage'

/** When to look again: something is on its way; what waits depends on more than the group (updaters come and go). */
export const SOON_MS = 1_000
export const LATER_MS = 30_000
/** Between two looks at one of many control planes that wait, so that those that run are looked at in time. */
const EACH_MS = 250

/** Of control planes it depends on each machine as well: on its mark, and on how it fares. */
export async function laterOf(clusterId: string, kind: string): Promise<number> {
  if (kind !== 'KubeadmControlPlane') return LATER_MS
  const waiting = await db().change.count({
    where: { clusterId, groupKind: kind, state: { in: ['waiting', 'rejected'] } },
  })
  return Math.max(5_000, waiting * EACH_MS)
}

/** With its newest live decision. */
export type Row = Change & { decisions: Decision[] }

export interface PlanContext {
  view: ClusterView
  source: ObjectSource
  book: CoverageBook
  /** Plan this group again: an updater has answered. */
  later(): void
}

/** Which management cluster, and by which lease. */
export type Owning = Pick<ClusterView, 'clusterId' | 'fence'>

export const owned = (tx: Tx, view: Owning): Promise<void> => stillOwned(tx, view.clusterId, view)
