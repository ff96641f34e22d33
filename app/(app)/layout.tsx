import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { signOutAction } from '@/app/sign-in/actions'
import { LiveProvider } from '@/components/live'
import { Shell } from '@/components/shell/shell'
import { pageCtx } from '@/lib/auth'
import { getShell } from '@/lib/services/fleet/get-shell'

export default async function AppLayout({ children }: { children: ReactNode }) {
  const ctx = await pageCtx('fleet:read')
  const [initial, jar] = await Promise.all([getShell(ctx), cookies()])
  return (
    <LiveProvider>
      <Shell
        initial={initial}
        person={{ name: ctx.actor.name, role: ctx.actor.role }}
        theme={jar.get('drydock.theme')?.value ?? 'system'}
        signOut={signOutAction}
      >
        {children}
      </Shell>
    </LiveProvider>
  )
}
