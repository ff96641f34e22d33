import * as z from 'zod'
import { looked } from '../openshift/schemas'

const clusterId = z.uuid('This is not the id of a management cluster.')
const gate = z
  .string('Say which gate.')
  .min(1, 'Say which gate.')
  .max(253, 'The name of a gate has at most 253 characters.')
  .regex(/^[-._a-zA-Z0-9]+$/, 'The name of a gate has letters, digits, dots, hyphens and underscores only.')
const reason = z.string().trim().max(1000, 'A reason has at most 1000 characters.').optional()

export const ListInput = z
  .object({
    only: z
      .enum(['closed', 'gates', 'open', 'unknown'], 'Only closed, gates, open or unknown can be shown.')
      .optional(),
    q: z.string().trim().max(253, 'A name has at most 253 characters.').default(''),
    after: z.string().max(400, 'This is not a place in the list.').optional(),
  })
  .default({ q: '' })

/** A management cluster by id or by name, as the scope in the address has it. */
export const GetInput = z.object({ cluster: z.string().trim().min(1, 'Say which cluster.').max(253) })

export const PreviewInput = z.object({ clusterId, gate, withdraw: z.boolean().default(false) })
export const AcknowledgeInput = z.object({
  ...{ clusterId, gate, reason },
  ...{ resourceVersion: looked.resourceVersion, uid: looked.uid },
  /** The gate's words as they were shown: what is acknowledged is these. */
  text: z.string('Look at the gate first: what is acknowledged is its text.'),
})
export const WithdrawInput = z.object({
  ...{ clusterId, gate, reason },
  ...{ resourceVersion: looked.resourceVersion, uid: looked.uid },
})
