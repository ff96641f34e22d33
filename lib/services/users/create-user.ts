import { randomUUID } from 'node:crypto'
import { createLink, linkPath } from '@/lib/auth/links'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { userTarget } from './account'
import { CreateUserInput, LINK_MINUTES } from './schemas'

/** Makes an account. Its owner opens the one-time link and chooses a password; nobody else ever knows one. */
export async function createUser(ctx: Ctx, input: unknown): Promise<{ userId: string; link: string }> {
  requirePermission(ctx, 'users:write')
  const { email, name, role } = parseInput(CreateUserInput, input)
  try {
    return await db().$transaction(async (tx) => {
      const user = await tx.user.create({ data: { id: randomUUID(), email, name: name || email, role } })
      const token = await createLink(tx, { userId: user.id }, LINK_MINUTES)
      await recordAudit(tx, ctx, { action: 'user.created', target: userTarget(user), details: { role } })
      return { userId: user.id, link: linkPath(token) }
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      throw new ServiceError('conflict', `There is already an account for ${email}.`, {
        fields: [{ field: 'email', message: 'This e-mail address has an account.' }],
      })
    }
    throw error
  }
}
