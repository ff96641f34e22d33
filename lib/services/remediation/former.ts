import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { namesChange } from '@/lib/domain/health-checks'

/** Another change of the group, for which remediation of some of its machines is skipped still: they are in the middle of its update. */
export interface FormerSkips {
  changeId: string
  summary: string
  machines: number
}

type Of = Pick<Change, 'id' | 'clusterId' | 'groupKind' | 'groupName' | 'namespace' | 'workloadCluster'>

/** By the marks on machines of its group. */
export async function formerSkips({ id, clusterId, ...group }: Of): Promise<FormerSkips[]> {
  const { groupKind, groupName, namespace, workloadCluster } = group
  const marks = await db().machine.groupBy({
    by: ['skipMark'],
    where: { clusterId, groupKind, groupName, namespace, workloadCluster, skipMark: { not: null } },
    _count: true,
  })
  const counts = new Map(marks.map(({ skipMark, _count }) => [skipMark ?? '', _count]))
  const others = [...counts.keys()].filter((mark) => mark !== id && namesChange(mark))
  if (others.length === 0) return []
  const rows = await db().change.findMany({
    where: { id: { in: others }, clusterId },
    orderBy: { detectedAt: 'desc' },
    select: { id: true, summary: true },
  })
  return rows.map(({ id: changeId, summary }) => ({ changeId, summary, machines: counts.get(changeId)! }))
}
