import { db } from '@/lib/db/client'
import { saysArch } from '@/lib/domain/boot-images/arch'
import { ARCHES, type Arch } from '@/lib/domain/boot-images/stream'
import type { ClusterView } from '../types'
import { archOfPlane } from './objects'

/** What the control plane's architecture was, by what is kept of its set, or of one that says none of its own and so goes by it. */
export async function archBefore(view: ClusterView): Promise<Arch | null> {
  const sets = [...view.objects('machinesets.machine.openshift.io').values()]
  const unsaid = sets.filter(({ metadata }) => !saysArch(metadata.annotations)).map(({ metadata }) => metadata.uid)
  const row = await db().bootImageSet.findFirst({
    where: {
      ...{ clusterId: view.clusterId, arch: { not: null } },
      OR: [{ kind: 'ControlPlaneMachineSet' }, { id: { in: unsaid } }],
    },
    orderBy: { kind: 'asc' },
    select: { arch: true },
  })
  return [...ARCHES.values()].find((arch) => arch === row?.arch) ?? null
}

/** Nodes are listed last: until they are, what it was before holds, so that a restart takes back nothing of what is told by it. */
export const archNow = (view: ClusterView, before: Arch | null): Arch | null =>
  archOfPlane(view) ?? (isListing(view) ? before : null)

export const isListing = (view: ClusterView): boolean => view.heard?.('nodes') === 'open'
