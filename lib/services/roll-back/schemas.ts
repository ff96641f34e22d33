import * as z from 'zod'

const changeId = z.uuid('This is not the id of a change.')

export const PlanRollBackInput = z.object({ changeId })
export const RollBackInput = z.object({
  changeId,
  /** Of the plan that was looked at; empty where no machine would have to move. */
  fingerprint: z
    .string('Say which plan you looked at: its fingerprint is missing.')
    .regex(/^([0-9a-f]{64})?$/, 'This is not the fingerprint of a plan.'),
  /** Of what the group wanted, as that plan was made for it. */
  generation: z.number('Say which state of the group you looked at.').int('This is not the generation of an object.'),
  reason: z
    .string('Say why it goes back: everybody will read it.')
    .trim()
    .min(1, 'Say why it goes back: everybody will read it.')
    .max(500, 'A reason has at most 500 characters.'),
})
