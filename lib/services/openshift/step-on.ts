import { db } from '@/lib/db/client'
import { applyAction } from './apply-action'
import { tellTakenAway } from './taken-away'

/** Called by whoever hears of a change of a target: an action that waits for it goes on at once, and one that stands in the middle says what is left of it. */
export async function stepOn(clusterId: string, target: string): Promise<void> {
  const waiting = await db().openShiftAction.findFirst({
    where: { clusterId, target, state: 'waiting' },
    select: { id: true },
  })
  if (waiting) await applyAction(waiting.id, `watch:${waiting.id}`)
  else await tellTakenAway(clusterId, target)
}
