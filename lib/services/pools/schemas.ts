import * as z from 'zod'
import { PHASES, POOL_STATES } from '@/lib/domain/pools/types'

const q = z.string().trim().max(200, 'A filter has at most 200 characters.').optional()
const after = z.string().max(500, 'This place in the list is not known.').optional()

export const ListPoolsInput = z.object({
  cluster: z.string().trim().max(253, 'A name has at most 253 characters.').optional(),
  state: z.enum(POOL_STATES, `The states of a pool are ${POOL_STATES.join(', ')}.`).optional(),
  /** Those whose pause is to be looked at again. */
  review: z.literal('due', 'The review of a pause is due, or nothing is asked for.').optional(),
  q,
  after,
})
export const GetPoolInput = z.object({
  id: z.uuid('This is not the id of a pool.'),
  /** Or those that are stuck, in whichever phase. */
  phase: z
    .enum([...PHASES, 'stuck'], `The phases of a node are ${PHASES.join(', ')}; or ask for those that are stuck.`)
    .optional(),
  q,
  after,
})
export const DiffInput = z.object({
  id: z.uuid('This is not the id of a pool.'),
  node: z.string().trim().max(253, 'A name has at most 253 characters.').optional(),
})
export const GetNodeInput = z.object({
  id: z.uuid('This is not the id of a pool.'),
  node: z.string().trim().min(1, 'Say which node.').max(253, 'A name has at most 253 characters.'),
})
