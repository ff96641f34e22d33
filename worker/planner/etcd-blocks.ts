import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import { planeOf } from '@/lib/services/changes/plane'
import { BLOCKED_MS, STILL_MS } from './stuck'

/**
 * Why no other machine of a control plane begins, where a member of its etcd is ill that nothing of the rollout is at; null: nothing
 * keeps it. While a machine comes, goes, or is updated its own member may be away, and a new one has its node before its etcd is up: that
 * passes.
 */
export async function etcdBlocks(change: Change): Promise<string | null> {
  const plane = await planeOf(db(), change)
  if (!plane?.noneToSpare || plane.frozen) return null
  if (plane.machines.some(({ going, member }) => going !== null || member === 'joining')) return null
  if (!plane.machines.some(({ member }) => member === 'ill')) return null
  const ids = plane.machines.map(({ id }) => id)
  if (await isAtOne(change, ids)) return null
  return `${plane.noneToSpare}; no other machine begins before that is over`
}

/** The rollout is at one of these, or was a moment ago; what is not through for very long does not pass by itself. */
async function isAtOne({ id: changeId }: Change, ids: string[]): Promise<boolean> {
  const now = (await databaseNow(db())).getTime()
  const at = await db().machineProgress.count({
    where: {
      ...{ changeId, machineId: { in: ids }, failedAt: null },
      OR: [
        { throughAt: null, startedAt: { gt: new Date(now - STILL_MS) } },
        { throughAt: { gt: new Date(now - BLOCKED_MS) } },
      ],
    },
  })
  return at > 0
}
