import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { db, type Tx } from '@/lib/db/client'
import { recordAudit } from '@/lib/services/audit/record'
import { parseInput, ROLES, type Ctx, type Role } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { FIRST_ACCOUNT_LOCK, hashToken } from './links'

const Password = z
  .string('Choose a password.')
  .min(12, 'A password has at least 12 characters.')
  .max(256, 'A password has at most 256 characters.')
const PasswordInput = z.object({ password: Password })
const AccountInput = PasswordInput.extend({
  name: z.string('Give your name.').trim().min(1, 'Give your name.').max(100, 'A name has at most 100 characters.'),
  email: z.email('Give an e-mail address.').trim().toLowerCase(),
})

type Hash = (password: string) => Promise<string>

/** Uses a link up and returns the account that it signs in. Everything or nothing: a refused form leaves the link usable. */
export async function redeemLink(input: { token: string } & Record<string, unknown>, hash: Hash): Promise<string> {
  return db().$transaction(async (tx) => {
    const used = await tx.signInLink.updateManyAndReturn({
      where: { tokenHash: hashToken(input.token), usedAt: null, expiresAt: { gt: new Date() } },
      data: { usedAt: new Date() },
    })
    const link = used[0]
    if (!link) {
      throw new ServiceError('not-found', 'This link was used before, or its time is over.', {
        hint: 'Sign in with your password, or ask an administrator for a new link.',
      })
    }
    const user = link.userId ? await existing(tx, link.userId, input, hash) : await fresh(tx, link.role, input, hash)
    const ctx: Ctx = { actor: { kind: 'user', id: user.id, name: user.name, role: user.role as Role } }
    await recordAudit(tx, ctx, { action: 'user.signed-in', target: target(user), details: { by: 'one-time link' } })
    return user.id
  })
}

const target = (user: { id: string; email: string }) => ({ kind: 'User', id: user.id, name: user.email })

async function existing(tx: Tx, userId: string, input: unknown, hash: Hash) {
  const user = await tx.user.findUnique({
    where: { id: userId },
    include: { accounts: { where: { providerId: 'credential' } } },
  })
  if (!user || user.disabledAt) throw new ServiceError('forbidden', 'This account is disabled.')
  if (!user.accounts[0]?.password) {
    const { password } = parseInput(PasswordInput, input)
    await setPassword(tx, user.id, await hash(password))
  }
  return user
}

/** The first account of all: such a link is worth nothing once there is one, whoever made it. */
async function fresh(tx: Tx, role: string | null, input: unknown, hash: Hash) {
  const known = ROLES.find((r) => r === role)
  if (!known) throw new ServiceError('not-found', 'This link signs nobody in.')
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`
  if ((await tx.user.count()) > 0) {
    throw new ServiceError('not-found', 'This link was for the first account, and there is one by now.', {
      hint: 'Ask an administrator for a link of your own.',
    })
  }
  const { name, email, password } = parseInput(AccountInput, input)
  const user = await tx.user.create({ data: { id: randomUUID(), name, email, role: known } })
  await setPassword(tx, user.id, await hash(password))
  await tx.signInLink.deleteMany({ where: { userId: null, usedAt: null } })
  const ctx: Ctx = { actor: { kind: 'user', id: user.id, name: user.name, role: known } }
  await recordAudit(tx, ctx, {
    action: 'user.created',
    target: target(user),
    details: { role: known, by: 'one-time link' },
  })
  return user
}

/** The account's local password, as better-auth keeps it. `null` takes it away. */
export async function setPassword(tx: Tx, userId: string, hashed: string | null): Promise<void> {
  const known = await tx.account.findFirst({ where: { userId, providerId: 'credential' } })
  if (known) await tx.account.update({ where: { id: known.id }, data: { password: hashed } })
  else
    await tx.account.create({
      data: { id: randomUUID(), accountId: userId, providerId: 'credential', userId, password: hashed },
    })
}
