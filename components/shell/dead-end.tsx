import type { ReactNode } from 'react'
import { LinkButton } from '@/components/ui/button'

/** Where an address leads nowhere: why that may be, and the way out. */
function DeadEnd({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-lg justify-items-start gap-3 px-6 py-24">
      <h1>{title}</h1>
      <p className="text-ink-2">{children}</p>
      <LinkButton href="/">To the fleet</LinkButton>
    </div>
  )
}

export const Nowhere = () => (
  <DeadEnd title="There is nothing at this address.">
    It may have been deleted in the cluster since you had the link, or its cluster was disconnected.
  </DeadEnd>
)

export const NotAllowed = () => (
  <DeadEnd title="Your role does not allow this page.">Ask an administrator of Drydock to change your role.</DeadEnd>
)
