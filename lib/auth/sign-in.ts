import * as z from 'zod'
import { db } from '@/lib/db/client'
import { recordAudit } from '@/lib/services/audit/record'
import { parseInput, systemCtx, type Role } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { announceAccess } from '@/lib/db/access'
import { countedAs } from './address'
import { auth } from './server'
import { slowDown, throttle } from './throttle'

const Credentials = z.object({
  email: z
    .string('Give your e-mail address.')
    .trim()
    .toLowerCase()
    .min(1, 'Give your e-mail address.')
    .max(320, 'That is too long.'),
  password: z.string('Give your password.').min(1, 'Give your password.').max(256, 'That is too long.'),
})

/** Signs in with a password; returns the cookies to set. Says the same whether the address or the password is wrong. */
export async function signInWithPassword(input: unknown, headers: Headers): Promise<string[]> {
  const { email, password } = parseInput(Credentials, input)
  const from = countedAs(headers)
  await throttle(`sign-in:address:${from}`, 30, 300)
  await throttle(`sign-in:person:${email} ${from}`, 8, 300)
  // Guesses from many addresses slow a person's signing in, and never lock it.
  await slowDown(`sign-in:person:${email}`, 20, 300)
  const response = await auth().api.signInEmail({ body: { email, password }, headers, asResponse: true })
  if (!response.ok) {
    await recordRefused(email, from)
    const message =
      response.status === 403 ? 'This account is disabled.' : 'The e-mail address or the password is wrong.'
    throw new ServiceError('signed-out', message)
  }
  const user = await db().user.findUniqueOrThrow({ where: { email } })
  const ctx = { actor: { kind: 'user' as const, id: user.id, name: user.name, role: user.role as Role } }
  await db().$transaction((tx) =>
    recordAudit(tx, ctx, {
      action: 'user.signed-in',
      target: { kind: 'User', id: user.id, name: email },
      details: { by: 'password' },
    }),
  )
  return response.headers.getSetCookie()
}

/** Throttled before, so that guessing cannot fill the audit. What is nobody's address may be a password: left out. */
async function recordRefused(email: string, from: string): Promise<void> {
  const user = await db().user.findUnique({ where: { email }, select: { id: true } })
  await db().$transaction((tx) =>
    recordAudit(tx, systemCtx('sign-in'), {
      action: 'user.sign-in-refused',
      target: { kind: 'User', id: user?.id ?? '', name: user ? email : 'an unknown address' },
      result: 'refused',
      details: { from },
    }),
  )
}

/** Signs in with a one-time link; returns the cookies to set. */
export async function signInWithLink(input: unknown, headers: Headers): Promise<string[]> {
  await throttle(`sign-in:link:${countedAs(headers)}`, 30, 300)
  const Link = z.object({
    token: z.string().min(1).max(100),
    name: z.string().optional(),
    email: z.string().optional(),
    password: z.string().optional(),
  })
  const { headers: answered } = await auth().api.signInWithLink({
    body: parseInput(Link, input),
    headers,
    returnHeaders: true,
  })
  return answered.getSetCookie()
}

/** Ends the session; returns the cookies that clear it. Its open streams close at once. */
export async function signOut(headers: Headers): Promise<string[]> {
  const session = await auth().api.getSession({ headers })
  const response = await auth().api.signOut({ headers, asResponse: true })
  if (session) await announceAccess(db(), session.user.id)
  return response.headers.getSetCookie()
}
