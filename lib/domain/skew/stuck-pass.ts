import type { PassCounts } from '../boot-images/counts'
import type { Judgement } from './verdict'

/** A pass writes its progress set by set, within a second each; nobody is called stuck before this. */
const AT_LEAST_MS = 3 * 60_000
const EACH_SET_MS = 5_000

/** How long a pass over so many sets may say nothing before it is called stuck. */
export const stuckAfter = (sets: number): number => Math.max(AT_LEAST_MS, sets * EACH_SET_MS)

/** In whatever mode: no machine set gets an image meanwhile. `ending`: the sets on which its process ends, by what they are. */
export function stuckWords(counts: PassCounts | null, stillMs: number, ending: readonly string[]): string {
  const at = counts ? `, at ${counts.reconciled} of ${counts.total} machine sets` : ''
  const minutes = Math.floor(stillMs / 60_000)
  const more = ending.length > NAMED ? ` or ${ending.length - NAMED} more` : ''
  const on = ending.length > 0 ? `${ending.slice(0, NAMED).join(', ')}${more}` : 'one of them'
  return `The operator has not moved on for ${minutes} minutes in the middle of a pass${at}: it may end on ${on} again and again.`
}
const NAMED = 3

/**
 * A pass that stands still: the controller ends on certain machine sets (an old image and no userDataSecret, for one), begins anew
 * and ends there again. Its conditions then stay as they were, and updates stay open because a pass that runs is not compared.
 */
export function stuckPass(judgement: Judgement, stuck: string): Judgement {
  return { ...judgement, sentence: `${stuck} Its record is not compared meanwhile.` }
}
