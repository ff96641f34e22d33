import * as z from 'zod'

const actionId = z.uuid('This is not the id of an action.')

/** What somebody looked at before deciding: handed out by a preview, handed back with the decision. */
export const looked = {
  resourceVersion: z
    .string('Look at what would happen first: the change is bound to the state that you saw.')
    .regex(/^[0-9]+$/, 'The resourceVersion is not one that an API server gave.'),
  generation: z.int('The generation is not one that an API server gave.').nonnegative().optional(),
  uid: z.string().max(128, 'The uid is not one that an API server gave.').optional(),
}

export const ActionInput = z.object({ actionId })

/** After a conflict: the state that was looked at anew. */
const lookedAnew = {
  resourceVersion: looked.resourceVersion.optional(),
  generation: looked.generation,
  uid: looked.uid,
}
export const RetryInput = z.object({
  actionId,
  ...lookedAnew,
  /** What it comes to, as it was shown. */
  shown: z.string().max(64, 'This is not what a preview handed out.').optional(),
})
export const CancelInput = z.object({
  actionId,
  /** Take back what is stored; false: leave it as it is. */
  takeBack: z.boolean().default(false),
  ...lookedAnew,
})
