import { db } from '@/lib/db/client'

export interface NewerChange {
  id: string
  summary: string
}

/** The newest change of the same group that came after this one; null: this one is the newest. */
export async function newerChange(of: {
  clusterId: string
  groupId: string
  detectedAt: string
}): Promise<NewerChange | null> {
  return db().change.findFirst({
    where: { clusterId: of.clusterId, groupId: of.groupId, detectedAt: { gt: of.detectedAt } },
    orderBy: [{ detectedAt: 'desc' }, { id: 'desc' }],
    select: { id: true, summary: true },
  })
}
