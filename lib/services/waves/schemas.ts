import * as z from 'zod'

const Run = {
  policyId: z.uuid('This is not the id of a policy.'),
  /** What the changes of the run want. */
  wish: z.string('Say which run is meant.').min(1, 'Say which run is meant.').max(300, 'There is no such run.'),
}
const wave = z.string('Name a wave.').min(1, 'Name a wave.').max(63, 'There is no such wave.')
const reason = z
  .string('The reason is a text.')
  .trim()
  .max(500, 'A reason has at most 500 characters.')
  .optional()
  .transform((text) => text || undefined)

/** Of all runs, or of the one that this change is in. */
export const ListRunsInput = z.object({ change: z.uuid('This is not the id of a change.').optional() })
export const BeginWaveInput = z.object({ ...Run, wave, reason })
export const SkipWaveInput = z.object({
  ...Run,
  wave,
  reason: reason.pipe(z.string('Say why it is not waited for: everybody will read it.')),
})
export const StopWavesInput = z.object({ ...Run, reason })
export const ResumeWavesInput = z.object(Run)
export const WaitForWaveInput = z.object({ ...Run, wave })
