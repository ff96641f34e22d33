import Link from 'next/link'
import { useState } from 'react'
import { count, ErrorState, Select, Skeleton } from '@/components/ui'
import { useAsked } from '@/components/live'
import { lasts, restsOn, roomFor } from '@/components/updates/course-words'
import type { SimulatedPolicy } from '@/lib/services/policies/simulate-policy'
import type { Draft, PolicyActions } from './types'
import { POOLS_NEXT } from './words'

/** The next rollout of one of its groups, played forward as if all of its machines wanted another version now. */
export function NextRollout({ simulate, draft }: { simulate: PolicyActions['simulate']; draft: Draft }) {
  const [groupId, setGroupId] = useState('')
  const { value, error, pending } = useAsked(simulate, { ...draft, ...(groupId ? { groupId } : {}) })
  // What cannot be simulated is said at the fields.
  if (error?.fields) return null
  if (error) return <ErrorState className="mb-3" error={error} />
  if (value === null) return pending ? <Skeleton height={80} /> : null
  if (value === 'pools')
    return (
      <p className="mb-4 text-pretty text-ink-3">
        {POOLS_NEXT}{' '}
        <Link href="/updates" prefetch={false} className="underline">
          Updates
        </Link>
      </p>
    )
  const { group, others, left, ways } = value
  return (
    <section aria-label="The next rollout, simulated" aria-busy={pending} className="mb-4 grid gap-2">
      <h3 className="text-sm text-ink-3">
        The next rollout, simulated: every machine of {pathOf(group)} wants another version
      </h3>
      {others.length > 1 && (
        <Select label="Of which group" value={group.id} onChange={(event) => setGroupId(event.target.value)}>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {pathOf(other)} ({count(other.machines, 'machine')})
            </option>
          ))}
        </Select>
      )}
      {left > 0 && <p className="text-sm text-ink-3">{count(left, 'more group')} of it cannot be chosen here.</p>}
      <ul className={`grid gap-1.5 ${pending ? 'opacity-60' : ''}`}>
        {ways.map((plan) => (
          <li key={plan.way} className="text-pretty wrap-anywhere">
            <span className="font-medium">{NAMES[plan.way]}</span>: {movesWords(plan)} {roomFor(plan)} {lasts(plan)}{' '}
            <span className="text-ink-3">{restsOn(plan.basis)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Many groups are called the same. */
const pathOf = ({ cluster, workloadCluster, name }: SimulatedPolicy['group']): string =>
  [cluster, workloadCluster, name].filter(Boolean).join(' / ')

const NAMES = { 'in-place': 'In place, where updaters cover all of it', replace: 'Replacing' }

/** "11 machines are updated in place, 1 is created, 1 deleted." */
function movesWords({ updated, created, deleted }: SimulatedPolicy['ways'][number]): string {
  const said = [
    ...(updated > 0 ? [`${count(updated, 'machine')} updated`] : []),
    ...(created > 0 ? [`${created} created`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ]
  return said.length > 0 ? `${said.join(', ')}.` : 'nothing moves by itself.'
}
