import { LinkButton } from '@/components/ui/button'
import { ErrorState } from '@/components/ui/states'
import type { RefusedAddress } from '@/lib/services/fleet/refused-address'

/** An address that asks for what there is not: what there is, and the way to the same page without that. */
export function BadAddress({ title, refused }: { title: string; refused: RefusedAddress }) {
  return (
    <div className="max-w-2xl">
      <h1 className="mb-3">{title}</h1>
      <ErrorState
        error={{ message: refused.message, hint: 'The address of this page asks for something else.' }}
        action={<LinkButton href={refused.href}>Show the page without it</LinkButton>}
      />
    </div>
  )
}
