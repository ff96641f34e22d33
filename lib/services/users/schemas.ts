import * as z from 'zod'
import { ROLES } from '../context'

const Role = z.enum(ROLES, `A role is one of ${ROLES.join(', ')}.`)

export const CreateUserInput = z.object({
  email: z.email('Give an e-mail address.').trim().toLowerCase(),
  name: z.string().trim().max(100, 'A name has at most 100 characters.').optional(),
  role: Role,
})
export const UserId = z.object({ userId: z.string('Say which account.').min(1, 'Say which account.').max(100) })
export const SetRoleInput = UserId.extend({ role: Role })

/** How long a link for a new account, or a new password, may be used. */
export const LINK_MINUTES = 24 * 60
