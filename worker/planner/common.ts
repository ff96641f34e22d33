import type { Tx } from '@/lib/db/client'
import type { Change, Decision, Prisma } from '@/lib/db/generated/client'
import { gatesFor } from '@/lib/domain/capabilities'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'
import type { ObjectSource } from '@/lib/providers/cluster-api/changes'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import type { CoverageBook } from './coverage'

/** States in which a change is not over, and those in which a decision speaks. */
export const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']
export const LIVE = ['recorded', 'applying', 'accepted', 'seen']

/** When to look again: something is on its way; what waits depends on more than the group (updaters come and go). */
export const SOON_MS = 1_000
export const LATER_MS = 30_000

/** With its newest live decision. */
export type Row = Change & { decisions: Decision[] }

export interface PlanContext {
  view: ClusterView
  source: ObjectSource
  book: CoverageBook
  /** Plan this group again: an updater has answered. */
  later(): void
}

export const json = (value: unknown): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue

export const owned = (tx: Tx, view: ClusterView): Promise<void> => stillOwned(tx, view.clusterId, view)

/** Held, also where the pause is somebody else's: the guard keeps both. */
export const isHeld = (group: KubeObject): boolean => {
  const annotations = group.metadata.annotations ?? {}
  return HELD in annotations && PAUSED in annotations
}

export type Hold = 'latch' | 'gate' | 'person' | 'none'

/** What keeps the group from moving right now. */
export function holdOf(view: ClusterView, group: KubeObject, gateAsked: boolean): Hold {
  const { held, paused } = pauseOf(group)
  if (held !== null || isHeld(group)) return 'latch'
  if (paused) return 'person'
  const off = gatesFor(view.capabilities.gates, group.kind).some(({ state }) => state === 'off')
  return gateAsked && !off ? 'gate' : 'none'
}
