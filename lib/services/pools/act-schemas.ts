import * as z from 'zod'
import { looked } from '../openshift/schemas'

const poolId = z.uuid('This is not the id of a pool.')
const reason = z.string().trim().max(1000, 'A reason has at most 1000 characters.').optional()

export const PreviewPoolInput = z.object({
  poolId,
  action: z.enum(['pause', 'resume'], 'A pool is paused or resumed.'),
})
export const ResumePoolInput = z.object({ poolId, ...looked, reason })
export const PausePoolInput = z.object({
  ...{ poolId, ...looked, reason },
  /** When somebody should look at the pause again. */
  reviewAt: z.coerce
    .date('The review date is not a date.')
    .refine((date) => date.getTime() > Date.now(), 'The review date must lie in the future.')
    .optional(),
})
