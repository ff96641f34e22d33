import { createHash, randomBytes } from 'node:crypto'
import { db, type Tx } from '@/lib/db/client'
import type { Role } from '@/lib/services/context'

/** Taken while the first account, or a link that makes it, is made. */
export const FIRST_ACCOUNT_LOCK = 7_207_003

/** Whom a link signs in: an account that is there, or the first one of all, with this role, that using it makes. */
export type LinkFor = { userId: string } | { role: Role }

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Makes a one-time link and returns its token, which is kept nowhere. */
export async function createLink(on: Tx, target: LinkFor, minutes: number): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await on.signInLink.create({
    data: { tokenHash: hashToken(token), ...target, expiresAt: new Date(Date.now() + minutes * 60_000) },
  })
  return token
}

export const linkPath = (token: string): string => `/sign-in/${token}`

export interface LinkState {
  /** What the page asks for: nothing, a password, or everything of a new account. */
  asks: 'nothing' | 'password' | 'account'
  email?: string
}

/** What using a link would do; null where it was used, is over or never was. Uses nothing up. */
export async function peekLink(token: string): Promise<LinkState | null> {
  const link = await db().signInLink.findUnique({ where: { tokenHash: hashToken(token) } })
  if (!link || link.usedAt || link.expiresAt < new Date()) return null
  if (!link.userId) return (await db().user.count()) > 0 ? null : { asks: 'account' }
  const user = await db().user.findUnique({
    where: { id: link.userId },
    select: {
      email: true,
      disabledAt: true,
      accounts: { where: { providerId: 'credential' }, select: { password: true } },
    },
  })
  if (!user || user.disabledAt) return null
  return { asks: user.accounts[0]?.password ? 'nothing' : 'password', email: user.email }
}
