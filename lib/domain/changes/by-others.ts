import type { Outlook } from './types'

interface Gone {
  state: string
  predicted?: string | null
  startedAt: Date | null
  throughAt?: Date | null
  deletingAt?: Date | null
  ill?: boolean
  message?: string | null
}

/**
 * It goes, or is gone, and not by its rollout: nothing of that had begun there, it was through by then, or in the middle of an update
 * that needs no spare. What was found ill after it had begun is remediated, and told so; of what is gone with a message nobody knows by
 * whom. `removes`: what was updated on the way may be one too many.
 */
export function wentByOthers({ ill = false, ...gone }: Gone, removes = false): boolean {
  const { state, predicted, startedAt, throughAt = null, deletingAt = null, message } = gone
  if (state !== 'deleting' && state !== 'deleted') return false
  if (startedAt === null) return state === 'deleting' || !message
  const midway = predicted === 'in-place' && deletingAt !== null && startedAt < deletingAt
  return (throughAt !== null || midway) && !ill && !removes
}

export const BY_OTHERS = 'not by the rollout'

/** With it fewer machines are wanted: some go without another one coming for them. */
export const removesAny = ({ inPlace, replace }: Pick<Outlook, 'inPlace' | 'replace'>): boolean =>
  [inPlace, replace].some((outcome) => (outcome?.removed ?? 0) > 0)
