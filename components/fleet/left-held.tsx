import Link from 'next/link'
import { count } from '@/components/ui'
import type { Fleet } from '@/lib/services/fleet/get-fleet'

/** What nobody watches any more, and is held all the same. */
export function LeftHeld({ left }: { left: Fleet['left'] }) {
  if (left.length === 0) return null
  return (
    <ul className="mt-2 text-ink-2">
      {left.map(({ id, name, groups }) => (
        <li key={id} className="wrap-anywhere">
          <Link href={`/clusters/${id}`} prefetch={false} className="underline">
            {name}
          </Link>{' '}
          was disconnected and is not watched: {count(groups, 'group')} {groups === 1 ? 'was' : 'were'} left held there.
        </li>
      ))}
    </ul>
  )
}
