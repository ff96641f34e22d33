import type { Outlook } from './types'

/**
 * By whom a machine goes. `before`: it was going already when its change was written, by whatever was wanted then. `ill`: as its
 * controller deletes an old machine that is ill in the middle of its rollout, which begins nothing: who else may have done it nobody knows.
 */
export type WentBy = 'rollout' | 'others' | 'before' | 'ill'

interface Gone {
  state: string
  predicted?: string | null
  startedAt: Date | null
  throughAt?: Date | null
  deletingAt?: Date | null
  /** As it was judged when it began to go. */
  wentBy?: string | null
  ill?: boolean
  message?: string | null
}

/**
 * It goes, or is gone, and not by its rollout: nothing of that had begun there, it was through by then, or in the middle of an update
 * that needs no spare. What was found ill after it had begun is remediated, and told so; of what is gone with a message nobody knows by
 * whom. `removes`: what was updated on the way may be one too many; of what was judged as it went, it says nothing.
 */
export function wentByOthers({ ill = false, ...gone }: Gone, removes = false): boolean {
  const { state, predicted, startedAt, throughAt = null, deletingAt = null, wentBy = null, message } = gone
  if (state !== 'deleting' && state !== 'deleted') return false
  // What a health check is known by now to have found was deleted by that.
  if (wentBy === 'ill') return ill
  if (wentBy !== null) return wentBy !== 'rollout' && !(ill && startedAt !== null)
  if (startedAt === null) return state === 'deleting' || !message
  const midway = predicted === 'in-place' && deletingAt !== null && startedAt < deletingAt
  return (throughAt !== null || midway) && !ill && !removes
}

export const BY_OTHERS = 'not by the rollout'
export const AS_ILL = 'as Cluster API does with an old machine that is ill'
export const FROM_BEFORE = 'since before this change'

/** With it fewer machines are wanted: some go without another one coming for them. */
export const removesAny = ({ inPlace, replace }: Pick<Outlook, 'inPlace' | 'replace'>): boolean =>
  [inPlace, replace].some((outcome) => (outcome?.removed ?? 0) > 0)
