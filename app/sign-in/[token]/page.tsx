import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { peekLink } from '@/lib/auth/links'
import { LinkForm } from '../form'
import { Frame } from '../frame'
import styles from '../sign-in.module.css'

export const metadata: Metadata = { title: 'Sign in · Drydock', referrer: 'no-referrer', robots: { index: false } }
export const dynamic = 'force-dynamic'

const TITLES = { nothing: 'Signing in', password: 'Choose a password', account: 'Create your account' }

/** Public: a one-time link. Looking at it uses nothing up. */
export default async function LinkPage({ params }: { params: Promise<{ token: string }> }): Promise<ReactNode> {
  const { token } = await params
  const link = await peekLink(token)
  if (!link) {
    return (
      <Frame title="This link is used up">
        <p>It was used before, or its time is over. Ask an administrator for a new one.</p>
        <Link href="/sign-in" className={styles.link}>
          Sign in with a password
        </Link>
      </Frame>
    )
  }
  return (
    <Frame title={TITLES[link.asks]}>
      {link.asks === 'password' && <p>For {link.email}. You sign in with it from now on.</p>}
      {link.asks === 'account' && <p>This link makes the first administrator of this Drydock.</p>}
      <LinkForm token={token} asks={link.asks} email={link.email} />
    </Frame>
  )
}
