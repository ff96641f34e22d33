import { db } from '@/lib/db/client'
import { FOUND_HELD } from '@/lib/domain/latch/watch'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'

/**
 * Of what these groups were before they were held nothing is known that they could be compared with: whatever they want unheld counts
 * as changed. The newest decision by now is not kept beside it, as where a group is let be: it may be what lets it go.
 */
export async function writeFoundHeld(view: ClusterView, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const { clusterId } = view
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    await tx.group.updateMany({ where: { id: { in: ids }, clusterId }, data: { watched: FOUND_HELD } })
  })
}
