import type { Change } from '@/lib/db/generated/client'
import { shapeAdvice, shapePolicies, shapeWanted, shapeWords, type Resolved, type Shape } from '@/lib/domain/policies'
import { timingOf, type ChangeTiming, type Timed } from './timing'

/** What came of having a held group written as policies say: by the worker, kept with its change. */
export interface ShapeSaid {
  /** What they said, in words: of something else nobody knows anything yet. */
  of: string
  /** What was written for it, and when (ISO); null: it was like that. */
  wrote: Shape | null
  at: string | null
  /** Why the group is not like that; null: it is. */
  trouble: string | null
  /** Somebody has to do something about that. */
  stuck: boolean
  /** Of the group as it was written. */
  resourceVersion: string | null
}

export const shapeSaid = (shape: unknown): ShapeSaid | null => shape as ShapeSaid | null

/** Whatever its strategy: what a group does not have is not wanted of it. */
export const shapeAsked = (rules: Resolved, kind: string): string =>
  shapeWords(shapeWanted(rules, { kind, strategy: 'RollingUpdate' }))

export type Shaped = Timed & Pick<Change, 'groupKind'> & { heldBy: string; shape: unknown }

/** Whether a change may begin: by its timing, and when its group is as its policies say. What has begun is asked by its timing. */
export function timingToGo(rules: Resolved, change: Shaped, now: Date): ChangeTiming {
  const timing = timingOf(rules, change, now)
  if (!timing.open) return timing
  // The group does not want it yet: there is nothing to let go, or to write beside it.
  if (change.heldBy === 'hook') return { open: false, why: 'hook', opens: null }
  return unshapedOf(rules, change) ?? timing
}

/** Its group is not as its policies say; null: it is, or they say nothing of it. */
export function unshapedOf(
  rules: Resolved,
  { groupKind, shape: kept }: Pick<Shaped, 'groupKind' | 'shape'>,
): Extract<ChangeTiming, { why: 'shape' }> | null {
  const asked = shapeAsked(rules, groupKind)
  if (asked === '') return null
  const said = shapeSaid(kept)
  const known = said?.of === asked
  const words = known
    ? said.trouble
    : `its group is about to be written as the policy ${shapePolicies(rules)} says (${asked})`
  if (words === null) return null
  const stuck = known && said.stuck
  // What was written, and then written otherwise by somebody, says itself what to do.
  const advice = stuck && !said.wrote ? shapeAdvice(rules, groupKind) : null
  return { open: false, why: 'shape', shape: { words, stuck, advice }, opens: null }
}
