import * as z from 'zod'

const Run = {
  policyId: z.uuid('This is not the id of a policy.'),
  /** What the changes of the run want. */
  wish: z.string('Say which run is meant.').min(1, 'Say which run is meant.').max(300, 'There is no such run.'),
}
const wave = z.string('Name a wave.').min(1, 'Name a wave.').max(63, 'There is no such wave.')
/** How the wave was written that was looked at. */
const bound = z.string('Say which wave you looked at.').regex(/^[0-9a-f]{32}$/, 'Say which wave you looked at.')
const reason = z
  .string('The reason is a text.')
  .trim()
  .max(500, 'A reason has at most 500 characters.')
  .optional()
  .transform((text) => text || undefined)

/** Of all runs, or of the one that this change is in. */
export const ListRunsInput = z.object({ change: z.uuid('This is not the id of a change.').optional() })
export const BeginWaveInput = z.object({ ...Run, wave, bound, reason })
export const SkipWaveInput = z.object({
  ...Run,
  wave,
  bound,
  reason: reason.pipe(z.string('Say why it is not waited for: everybody will read it.')),
})
export const StopWavesInput = z.object({ ...Run, reason })
export const ResumeWavesInput = z.object({
  ...Run,
  /** When what was looked at was stopped. */
  stoppedAt: z.iso.datetime('Say which stop you looked at.').optional(),
  reason,
})
export const WaitForWaveInput = z.object({ ...Run, wave })
export const TakeBackBeginInput = z.object({ ...Run, wave })
