import { db } from '@/lib/db/client'
import { ARCHES, type Arch } from '@/lib/domain/boot-images/stream'
import type { ClusterView } from '../types'
import { archOfPlane } from './objects'

/** What the control plane's architecture was, by what is kept of its set. */
export async function archBefore(clusterId: string): Promise<Arch | null> {
  const where = { clusterId, kind: 'ControlPlaneMachineSet', arch: { not: null } }
  const row = await db().bootImageSet.findFirst({ where, select: { arch: true } })
  return [...ARCHES.values()].find((arch) => arch === row?.arch) ?? null
}

/** Nodes are listed last: until they are, what it was before holds, so that a restart takes back nothing of what is told by it. */
export const archNow = (view: ClusterView, before: Arch | null): Arch | null =>
  archOfPlane(view) ?? (isListing(view) ? before : null)

export const isListing = (view: ClusterView): boolean => view.heard?.('nodes') === 'open'
