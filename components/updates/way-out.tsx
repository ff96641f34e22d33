import Link from 'next/link'
import type { ShownChange } from './change-body'
import { wayOutOf } from './way-out-words'

/** Where its policy allows in place only, and that is not possible: the next step, for whoever takes it. */
export function WayOut({ change }: { change: Pick<ShownChange, 'state' | 'outlook' | 'policy'> }) {
  const way = wayOutOf(change)
  if (!way) return null
  const { covers, policy } = way
  return (
    <p className="max-w-[88ch] wrap-anywhere">
      It goes on with{' '}
      {covers && (
        <>
          an{' '}
          <Link href="/updaters" prefetch={false} className="underline">
            updater
          </Link>{' '}
          that covers {covers}, or with{' '}
        </>
      )}
      another strategy in{' '}
      {policy ? (
        <>
          the policy{' '}
          <Link href={`/policies/${policy.id}`} prefetch={false} className="underline">
            {policy.name}
          </Link>
        </>
      ) : (
        'a policy of its own'
      )}
      , by which its machines may be replaced.
    </p>
  )
}
