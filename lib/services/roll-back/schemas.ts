import * as z from 'zod'

const changeId = z.uuid('This is not the id of a change.')

export const PlanRollBackInput = z.object({ changeId })
export const RollBackInput = z.object({
  changeId,
  /** Of the plan that was looked at; empty where no machine would have to move. */
  fingerprint: z
    .string('Say which plan you looked at: its fingerprint is missing.')
    .regex(/^([0-9a-f]{64})?$/, 'This is not the fingerprint of a plan.'),
  /** Of the group, as that plan was made for it. */
  resourceVersion: z
    .string('Say which state of the group you looked at.')
    .min(1, 'Say which state of the group you looked at.')
    .max(100, 'This is not the version of an object.'),
  reason: z
    .string('Say why it goes back: everybody will read it.')
    .trim()
    .min(1, 'Say why it goes back: everybody will read it.')
    .max(500, 'A reason has at most 500 characters.'),
})
