import { db } from '@/lib/db/client'
import { UNDER_WAY } from './action-row'
import { halfwayWords, isHalfway } from './halfway'
import { stepsOf } from './row-steps'
import { wayBack } from './way-back'

/** A decision on an object that no other can pass, and what there is to do about it. */
export interface UnderWayOn {
  id: string
  message: string
  hint: string
  /** It failed in the middle, and waits for somebody to say what becomes of it. */
  halfway: boolean
}

/** Null: nothing is under way on the object, or stands half way; `words` name it. */
export async function underWayOn(clusterId: string, target: string, words: string): Promise<UnderWayOn | null> {
  const rows = await db().openShiftAction.findMany({
    where: { clusterId, target, state: { in: [...UNDER_WAY, 'failed'] } },
  })
  const row = rows.find(({ state }) => state !== 'failed')
  if (!row) {
    const halfway = rows.find(isHalfway)
    return halfway ? halfwayWords(halfway, words) : null
  }
  const waits = row.state === 'waiting' ? stepsOf(row)[row.step]?.waitsFor : undefined
  const until = waits ? ` and waits until ${waits}` : ''
  // By the names of the buttons where it stands.
  const back = wayBack(row).back ? 'Go back, or leave' : 'Leave'
  return {
    ...{ id: row.id, halfway: false },
    message: `A decision on ${words}, by ${row.actorName}, is still under way${until}.`,
    hint: waits
      ? `Wait until it is done. ${back} it as it stands, where that is not to be: on the page of its cluster.`
      : 'Wait until it is done.',
  }
}
