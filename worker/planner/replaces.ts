import { db } from '@/lib/db/client'
import { wentByOthers } from '@/lib/domain/changes/by-others'
import type { Progress } from './progress'

/** Cluster API was answered that it may go in place. */
export const wasAnsweredInPlace = async (changeId: string): Promise<boolean> =>
  (await db().gateCall.findFirst({ where: { changeId, answer: 'in-place' }, select: { id: true } })) !== null

interface By {
  replacing: boolean
  answered: boolean
  spares: number
  /** Its manager deletes none before the new one is well, whichever way it goes. */
  waits: boolean
  /** Of its machines some may be not available: others go as soon as a spare is made. */
  lacks?: boolean
}

/**
 * Whether a machine that goes now, and was to be updated where it stands, goes by its rollout: its manager replaces, whatever was
 * approved, or one goes for a spare that came first. Answered that it may go in place, Cluster API deletes for `spares` only, and once
 * they are up, or some may be missing; what it makes beside them takes the place of what others deleted.
 */
export function replacesBy(
  rows: Iterable<Progress>,
  { replacing, answered, spares, waits, lacks = false }: By,
  isUp: (row: Progress) => boolean,
): boolean {
  if (replacing) return true
  const all = [...rows]
  const created = all.filter(({ state }) => state === 'created')
  if (!answered) return created.some((row) => !waits || isUp(row))
  const went = all.filter((row) => {
    const { state, startedAt, predicted, illAt } = row
    const goes = state === 'deleting' || state === 'deleted'
    const old = predicted !== null && predicted !== 'up-to-date'
    return goes && startedAt !== null && old && !illAt && !wentByOthers({ ...row, ill: false })
  })
  return went.length < Math.min(created.filter((row) => lacks || isUp(row)).length, spares)
}
