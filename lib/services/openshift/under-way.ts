import { db } from '@/lib/db/client'
import { UNDER_WAY } from './action-row'
import { stepsOf } from './row-steps'
import { wayBack } from './way-back'

/** A decision on an object that no other can pass, and what there is to do about it. */
export interface UnderWayOn {
  id: string
  message: string
  hint: string
}

/** Null: nothing is under way on the object; `words` name it. */
export async function underWayOn(clusterId: string, target: string, words: string): Promise<UnderWayOn | null> {
  const row = await db().openShiftAction.findFirst({ where: { clusterId, target, state: { in: UNDER_WAY } } })
  if (!row) return null
  const waits = row.state === 'waiting' ? stepsOf(row)[row.step]?.waitsFor : undefined
  const until = waits ? ` and waits until ${waits}` : ''
  // By the names of the buttons where it stands.
  const back = wayBack(row).back ? 'Go back, or leave' : 'Leave'
  return {
    id: row.id,
    message: `A decision on ${words}, by ${row.actorName}, is still under way${until}.`,
    hint: waits
      ? `Wait until it is done. ${back} it as it stands, where that is not to be: on the page of its cluster.`
      : 'Wait until it is done.',
  }
}
