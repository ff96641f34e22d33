import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { sessionCtx } from '@/lib/auth'
import { PasswordForm } from './form'
import { Frame } from './frame'

export const metadata: Metadata = { title: 'Sign in · Drydock' }

/** Public: the way in. */
export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string | string[] }>
}): Promise<ReactNode> {
  if (await sessionCtx()) redirect('/')
  const { next } = await searchParams
  return (
    <Frame title="Sign in">
      <PasswordForm next={typeof next === 'string' ? next : undefined} />
    </Frame>
  )
}
