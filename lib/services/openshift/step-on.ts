import { db } from '@/lib/db/client'
import { applyAction } from './apply-action'

/** Called by whoever hears of a change of a target: an action that waits for it goes on at once. */
export async function stepOn(clusterId: string, target: string): Promise<void> {
  const waiting = await db().openShiftAction.findFirst({
    where: { clusterId, target, state: 'waiting' },
    select: { id: true },
  })
  if (waiting) await applyAction(waiting.id, `watch:${waiting.id}`)
}
