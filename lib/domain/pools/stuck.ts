import type { DrainWait } from './drain'
import { DRAIN_SLOW_MINUTES } from './drain'
import type { Step, StepType } from './steps'
import type { Phase } from './types'

/**
 * After so many minutes in one step somebody should look. The drain's is the controller's own threshold; the others are long for a
 * healthy machine, for bare metal reboots slowly.
 */
const PATIENCE: Record<StepType, number> = {
  UpdatePrepared: 10,
  ImagePulledFromRegistry: 30,
  Cordoned: 10,
  Drained: 30,
  AppliedFilesAndOS: 30,
  AppliedFiles: 15,
  AppliedOSImage: 30,
  UpdatePostActionComplete: 10,
  RebootedNode: 30,
  Resumed: 10,
  Uncordoned: 10,
}
const WITHOUT_STEPS: Partial<Record<Phase, number>> = { draining: 30, updating: 60, rebooting: 30 }

/** From when on a node counts as stuck if nothing happens until then, in ms; null: it is not under way. */
export function stuckFrom(
  phase: Phase,
  step: Step | null,
  drain: DrainWait | null,
  since: number | null,
): number | null {
  if (phase === 'degraded') return since ?? 0
  if (since === null || !(phase in WITHOUT_STEPS)) return null
  const minutes = drain?.failing ? DRAIN_SLOW_MINUTES : step ? PATIENCE[step.type] : WITHOUT_STEPS[phase]!
  return since + minutes * 60_000
}
