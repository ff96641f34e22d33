import Link from 'next/link'
import { stateOf } from '@/components/pools/words'
import { Chip, count, Section } from '@/components/ui'
import { STATES as UPDATES } from '@/components/upgradeable/words'
import type { Besides } from '@/lib/services/skew/besides'

/** What else of this cluster decides on its updates, in short, with where it stands in full. */
export function BesidesSections({ besides: { cluster, pools, morePools, updates } }: { besides: Besides }) {
  const scope = `cluster=${encodeURIComponent(cluster)}`
  return (
    <>
      {updates && (
        <Section
          title="Updates to another minor version"
          aside={
            <Link href={`/upgradeable?${scope}`} className="underline">
              All reasons and gates
            </Link>
          }
        >
          <p className="flex max-w-[84ch] flex-wrap items-baseline gap-x-2 text-pretty">
            <Chip tone={UPDATES[updates.state].tone}>{UPDATES[updates.state].words}</Chip>
            {updates.sentence}
          </p>
          {updates.blockers + updates.gatesWaiting > 0 && (
            <p className="mt-1 text-sm text-ink-2">
              {[
                updates.blockers > 0 && count(updates.blockers, 'reason'),
                updates.gatesWaiting > 0 && `${count(updates.gatesWaiting, 'gate')} waiting for an administrator`,
              ]
                .filter(Boolean)
                .join(', ')}
              .
            </p>
          )}
        </Section>
      )}
      {pools.length > 0 && (
        <Section
          title="Pools"
          aside={
            <Link href={`/pools?${scope}`} className="underline">
              {morePools > 0 ? `All ${pools.length + morePools} pools` : 'All pools'}
            </Link>
          }
        >
          <ul className="divide-y divide-line border-y border-line">
            {pools.map((pool) => (
              <li key={pool.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5">
                <Link href={`/pools/${pool.id}`} prefetch={false} className="font-medium hover:underline">
                  {pool.name}
                </Link>
                <Chip tone={stateOf(pool).tone}>{stateOf(pool).words}</Chip>
                {pool.reviewDue && <Chip tone="needs">review due</Chip>}
                <span className="text-sm text-pretty text-ink-2">{pool.sentence}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}
