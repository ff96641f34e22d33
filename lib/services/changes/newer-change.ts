import { db } from '@/lib/db/client'

export interface NewerChange {
  id: string
  summary: string
}

interface Of {
  clusterId: string
  groupId: string
  detectedAt: string
}

const after = ({ clusterId, groupId, detectedAt }: Of, order: 'asc' | 'desc'): Promise<NewerChange | null> =>
  db().change.findFirst({
    where: { clusterId, groupId, detectedAt: { gt: detectedAt } },
    orderBy: [{ detectedAt: order }, { id: order }],
    select: { id: true, summary: true },
  })

/** The newest change of the same group that came after this one; null: this one is the newest. */
export const newerChange = (of: Of): Promise<NewerChange | null> => after(of, 'desc')

/** The one that came next, and took its place. */
export const nextChange = (of: Of): Promise<NewerChange | null> => after(of, 'asc')
