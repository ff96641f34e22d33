import type { Outlook } from './types'

/** By whom a machine goes. `before`: it was going already when its change was written, by whatever was wanted then. */
export type WentBy = 'rollout' | 'others' | 'before'

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
  if (wentBy !== null) return wentBy !== 'rollout' && !(ill && startedAt !== null)
  if (startedAt === null) return state === 'deleting' || !message
  const midway = predicted === 'in-place' && deletingAt !== null && startedAt < deletingAt
  return (throughAt !== null || midway) && !ill && !removes
}

export const BY_OTHERS = 'not by the rollout'
export const NOT_FORETOLD = 'not foretold'
export const othersWords = (unforetold = false): string => (unforetold ? NOT_FORETOLD : BY_OTHERS)

/**
 * A control plane that was let go in place: its manager deletes first what is ill, and asks nobody, so that nobody outside can tell who
 * deletes a machine that was not foretold to go. `modes`: as it was let go, if anybody did so.
 */
export function isUnforetold(
  { groupKind, waits, inPlace }: { groupKind: string; waits: boolean; inPlace: boolean },
  modes: readonly string[],
): boolean {
  if (groupKind !== 'KubeadmControlPlane') return false
  return modes.length > 0 ? modes.includes('in-place') : !waits && inPlace
}
export const FROM_BEFORE = 'since before this change'

/** With it fewer machines are wanted: some go without another one coming for them. */
export const removesAny = ({ inPlace, replace }: Pick<Outlook, 'inPlace' | 'replace'>): boolean =>
  [inPlace, replace].some((outcome) => (outcome?.removed ?? 0) > 0)
