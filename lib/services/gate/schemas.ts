import * as z from 'zod'

export const GateInput = z.object({
  clusterId: z.uuid('This is not the id of a management cluster.'),
  /** Address at which the managers reach the gate, where it is not the configured one. */
  url: z
    .string()
    .trim()
    .refine(
      (text) => URL.canParse(text) && new URL(text).protocol === 'https:',
      'The address must begin with https://.',
    )
    .refine((text) => !/[?#@]/.test(text), 'The address must have no user, no query and no fragment.')
    .optional(),
})
