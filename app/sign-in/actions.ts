'use server'

import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { parseSetCookieHeader, toCookieOptions } from 'better-auth/cookies'
import { failure, type Failure } from '@/lib/auth/failure'
import { requireOwnOrigin } from '@/lib/auth/origin'
import { signInWithLink, signInWithPassword, signOut } from '@/lib/auth/sign-in'

export interface SignInState {
  error?: Failure
  /** What was typed, except passwords: nothing is lost when something is wrong. */
  typed?: { name?: string; email?: string }
}

const text = (form: FormData, name: string): string | undefined => {
  const value = form.get(name)
  return typeof value === 'string' ? value : undefined
}

/** Signs in with e-mail address and password. Public: it is how a session begins. */
export async function signInAction(_before: SignInState, form: FormData): Promise<SignInState> {
  const typed = { email: text(form, 'email') }
  try {
    const from = await ownHeaders()
    await setCookies(await signInWithPassword({ ...typed, password: text(form, 'password') }, from))
  } catch (error) {
    return { error: failure(error, 'sign-in'), typed }
  }
  redirect(localPath(text(form, 'next')))
}

/** Signs in with a one-time link, and makes its account or password where there is none yet. Public, too. */
export async function useLinkAction(_before: SignInState, form: FormData): Promise<SignInState> {
  const typed = { name: text(form, 'name'), email: text(form, 'email') }
  try {
    const from = await ownHeaders()
    const input = { token: text(form, 'token'), password: text(form, 'password'), ...typed }
    await setCookies(await signInWithLink(input, from))
  } catch (error) {
    return { error: failure(error, 'sign-in link'), typed }
  }
  redirect('/')
}

/** Ends the session of whoever calls it. */
export async function signOutAction(): Promise<void> {
  await setCookies(await signOut(await ownHeaders()))
  redirect('/sign-in')
}

async function ownHeaders(): Promise<Headers> {
  const from = new Headers(await headers())
  requireOwnOrigin(from)
  return from
}

async function setCookies(lines: string[]): Promise<void> {
  const jar = await cookies()
  for (const line of lines) {
    for (const [name, { value, ...attributes }] of parseSetCookieHeader(line)) {
      jar.set(name, value, toCookieOptions({ value, ...attributes }))
    }
  }
}

/** Only a path of our own: "//elsewhere" and "/\elsewhere" are other people's. */
function localPath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/'
}
