import { db } from '@/lib/db/client'

/** Of clusters' machine sets what is to be known beside a version that is recorded as the oldest (lib/domain/skew/plane-beside.ts). */
export async function setsBeside(clusterIds: string[]) {
  const sets = await db().bootImageSet.findMany({
    where: { clusterId: { in: clusterIds } },
    select: { id: true, clusterId: true, kind: true, current: true, dated: true, datedSure: true },
  })
  const inactive = await db().group.findMany({
    where: { id: { in: sets.map(({ id }) => id) }, kind: 'ControlPlaneMachineSet', paused: true },
    select: { id: true },
  })
  const isInactive = new Set(inactive.map(({ id }) => id))
  return sets.map((set) => ({ ...set, inactive: isInactive.has(set.id) }))
}
