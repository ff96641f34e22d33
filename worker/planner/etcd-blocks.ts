import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { planeOf } from '@/lib/services/changes/plane'

/**
 * Why no other machine of a control plane begins, where a member of its etcd is ill that nothing of the rollout is at; null: nothing
 * keeps it. While a machine comes, goes, or is updated its own member may be away: that passes.
 */
export async function etcdBlocks(change: Change): Promise<string | null> {
  const plane = await planeOf(db(), change)
  if (!plane?.noneToSpare || plane.frozen) return null
  if (plane.machines.some(({ going, member }) => going !== null || member === 'joining')) return null
  if (!plane.machines.some(({ member }) => member === 'ill')) return null
  return `${plane.noneToSpare}; no other machine begins before that is over`
}
