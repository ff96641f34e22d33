'use client'

import { CircleUser } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useLazyMenu } from '@/components/ui/lazy-menu'

export interface Person {
  name: string
  role: string
}

export interface AccountProps {
  person: Person
  theme: string
  signOut(): Promise<void>
}

const load = () => import('./account-menu')
const AccountMenu = lazy(load)

/** Who is signed in, the theme, and the way out. */
export function Account(props: AccountProps) {
  const { asked, button } = useLazyMenu(load)
  const face = {
    className: 'btn btn-bare btn-small -mr-2',
    'aria-label': `Account of ${props.person.name}, and theme`,
    children: (
      <>
        <CircleUser size={16} aria-hidden />
        <span className="max-w-32 truncate max-phone:hidden">{props.person.name}</span>
      </>
    ),
  }
  const closed = <button {...face} {...button} />
  return <Suspense fallback={closed}>{asked ? <AccountMenu {...props} face={face} /> : closed}</Suspense>
}
