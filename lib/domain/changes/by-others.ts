import type { Outlook } from './types'

interface Gone<At> {
  state: string
  startedAt: At | null
  throughAt?: At | null
  ill?: boolean
  message?: string | null
}

/**
 * It goes, or is gone, and not by its rollout: nothing of that had begun there, or it was through by then. What was found ill after it
 * had begun is remediated, and told so; of what is gone with a message nobody knows by whom. `removes`: what was updated on the way may be
 * one too many.
 */
export function wentByOthers<At>(
  { state, startedAt, throughAt = null, ill = false, message }: Gone<At>,
  removes = false,
): boolean {
  if (state !== 'deleting' && state !== 'deleted') return false
  return startedAt === null ? state === 'deleting' || !message : throughAt !== null && !ill && !removes
}

export const BY_OTHERS = 'not by the rollout'

/** With it fewer machines are wanted: some go without another one coming for them. */
export const removesAny = ({ inPlace, replace }: Pick<Outlook, 'inPlace' | 'replace'>): boolean =>
  [inPlace, replace].some((outcome) => (outcome?.removed ?? 0) > 0)
