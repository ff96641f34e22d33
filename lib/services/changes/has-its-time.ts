import type { ChangeDto } from './change-row'
import { listedStanding } from './listed-standing'
import type { ChangeStanding } from './standing'

/** Approved, or for nobody to approve, and gone by itself at a time that is known: nobody is asked for anything. */
export function hasItsTime(change: ChangeDto, standing: ChangeStanding | undefined): boolean {
  if (!standing || change.decision?.state === 'failed') return false
  const { due, goes, timing, early } = listedStanding(standing, change)
  if (early) return false
  // Nothing says when a wave opens, but what it waits for is on its way, or needs somebody itself.
  const ends = ({ why, wave, open, opens }: typeof timing) => {
    const place = why === 'wave' ? wave?.place : null
    return open || opens !== null || why === 'hook' || (place?.state === 'waits' && !place.needsPerson)
  }
  return (due || goes) && ends(timing) && timing.besides.every(ends)
}
