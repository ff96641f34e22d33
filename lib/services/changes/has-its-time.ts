import type { ChangeDto } from './change-row'
import { listedStanding, type ChangeStanding } from './standing'

/** Approved, and gone by itself at a time that is known: nobody is asked for anything. */
export function hasItsTime(change: ChangeDto, standing: ChangeStanding | undefined): boolean {
  if (!standing || change.decision?.state === 'failed') return false
  const { due, timing } = listedStanding(standing, change)
  // Nothing says when a wave opens, but what it waits for is on its way, or needs somebody itself.
  const place = timing.why === 'wave' ? timing.wave?.place : null
  const inWave = place?.state === 'waits' && !place.needsPerson
  return due && (timing.open || timing.opens !== null || timing.why === 'hook' || inWave)
}
