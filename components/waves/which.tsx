import Link from 'next/link'
import { EmptyState, LinkButton } from '@/components/ui'
import type { RunsDto } from '@/lib/services/waves/list-runs'

/** Which of all runs are shown, and the way to the others. */
export function Which({ change, data: { runs, all } }: { change: string | null; data: RunsDto }) {
  if (!change)
    return (
      <p className="mb-3 text-ink-2">
        The first {runs.length} of {all}: those that are stopped or wait for somebody’s word, then those with the most
        groups that are not through. The others are reached from their changes.
      </p>
    )
  return (
    <p className="mb-3">
      <Link href="/updates/waves" className="underline">
        {all === 1 ? 'All that goes in waves now' : `All ${all} that go in waves now`}
      </Link>
    </p>
  )
}

/** Nothing to show: why. */
export const Nothing = ({ of }: { of: string | null }) =>
  of ? (
    <EmptyState
      title="This change goes in no wave now."
      action={
        <LinkButton small href={`/updates/${of}`}>
          Show the change
        </LinkButton>
      }
    >
      It is over, its policy has no waves any more, or its group came a moment ago.
    </EmptyState>
  ) : (
    <EmptyState title="Nothing goes in waves now.">
      A policy with waves takes hold as soon as one of its groups wants something. What a cluster that was disconnected
      left half way is waited for, and shown here when another group wants the same.
    </EmptyState>
  )
