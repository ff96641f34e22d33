import Link from 'next/link'
import type { Dependent } from '@/lib/services/updaters/dependents'

/** The updates that an updater has a part in now. */
export function DependentList({ dependents }: { dependents: Dependent[] }) {
  return (
    <ul className="grid list-disc gap-1 pl-4">
      {dependents.map((change) => (
        <li key={change.changeId}>
          <Link href={`/updates/${change.changeId}`} className="hover:underline">
            {change.group}
          </Link>
          : {change.summary}
        </li>
      ))}
    </ul>
  )
}
