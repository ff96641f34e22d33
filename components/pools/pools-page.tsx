'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { SmallHull } from '@/components/hull'
import { getJson, problemFrom } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import {
  Chip,
  count,
  EmptyState,
  ErrorState,
  LinkButton,
  Pager,
  RelativeTime,
  Table,
  Tabs,
  Td,
  Th,
  Tr,
} from '@/components/ui'
import { UNAPPROVED_WHY } from '@/lib/domain/latch/unapproved'
import { capital } from '@/lib/domain/text'
import { POOL_STATES } from '@/lib/domain/pools/types'
import type { PoolRowDto, PoolsPage as Data } from '@/lib/services/pools/list-pools'
import { Releases } from './releases'
import { sinceWords, STATES, stateOf, TABS, withQuery } from './words'

/** MachineConfigPools of all OpenShift clusters, the worst first. */
export function PoolsPage({ initial, query }: { initial: Data; query: string }) {
  const { data, error } = useQuery({
    queryKey: ['pools', 'list', query],
    queryFn: ({ signal }) => getJson<Data>(`/api/pools?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters'] },
  })
  const params = new URLSearchParams(query)
  const state = params.get('state')
  const review = params.get('review')
  const to = (changes: Record<string, string | null>) => withQuery('/pools', params, { after: null, ...changes })
  const all = Object.values(data.counts).reduce((sum, n) => sum + n, 0)
  const tabs = POOL_STATES.filter((of) => (data.counts[of] ?? 0) > 0 || of === state)
  const filtered = Boolean(params.get('q') ?? params.get('cluster') ?? state ?? review)
  return (
    <div className="max-w-[1320px]">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h1>Pools</h1>
        <FilterBox
          value={params.get('q') ?? ''}
          href={(q) => to({ q: q || null })}
          placeholder="Pool, cluster or release"
        />
      </div>
      {all > 0 && (
        <div className="overflow-x-auto [&_a]:whitespace-nowrap [&>nav]:w-max [&>nav]:min-w-full">
          <Tabs
            label="Pools by state"
            items={[
              { href: to({ state: null }), label: 'All', count: all, current: state === null },
              ...tabs.map((of) => ({
                href: to({ state: of }),
                label: capital(TABS[of] ?? STATES[of].words),
                count: data.counts[of] ?? 0,
                current: state === of,
                needs: of === 'behind' || of === 'degraded',
              })),
            ]}
          />
        </div>
      )}
      {(data.due > 0 || review) && (
        <p className="mt-3 text-sm">
          {review ? (
            <Link href={to({ review: null })} className="underline">
              Also pools whose pause is not due for review
            </Link>
          ) : (
            <Link href={to({ review: 'due' })} className="underline">
              {count(data.due, 'pause')} due for review
            </Link>
          )}
        </p>
      )}
      {error && <ErrorState error={problemFrom(error)} className="mt-4" />}
      {data.pools.length > 0 ? (
        <>
          <PoolTable pools={data.pools} />
          <Pager
            shown={data.pools.length}
            total={data.total}
            next={data.after && to({ after: data.after })}
            top={params.get('after') && to({})}
          />
        </>
      ) : (
        <div className="mt-5">
          <Nothing filtered={filtered} all={all} data={data} only={onlyScope(params)} />
        </div>
      )}
      {data.hosted.length > 0 && data.pools.length > 0 && (
        <p className="mt-4 max-w-[84ch] text-sm text-ink-3">{hostedWords(data)}</p>
      )}
    </div>
  )
}

type Hosted = Pick<Data, 'hosted' | 'hostedMore'>
const hostedWords = ({ hosted, hostedMore }: Hosted): string =>
  `${hosted.join(', ')}${hostedMore > 0 ? ` and ${hostedMore} more` : ''}: the control plane is hosted elsewhere, and so are its pools; there is nothing of them to show here.`

/** The cluster that is asked about, and nothing else is. */
const onlyScope = (params: URLSearchParams): string | null =>
  ['q', 'state', 'review'].some((key) => params.get(key)) ? null : params.get('cluster')

interface NothingProps {
  filtered: boolean
  all: number
  data: Hosted
  only: string | null
}

function Nothing({ filtered, all, data, only }: NothingProps) {
  const { hosted } = data
  if (only && all === 0 && hosted.length === 0)
    return (
      <EmptyState title={`No pool of ${only} is known.`} action={<LinkButton href="/pools">Show all pools</LinkButton>}>
        Pools belong to OpenShift: other clusters have none. Of one whose pools cannot be read its own page says so.
      </EmptyState>
    )
  if (filtered && all === 0 && hosted.length === 0)
    return (
      <EmptyState title="No pool matches." action={<LinkButton href="/pools">Show all pools</LinkButton>}>
        Take the filter or the scope away to see more.
      </EmptyState>
    )
  if (all > 0)
    return (
      <EmptyState
        title="No pool is in this state now."
        action={<LinkButton href="/pools">Show all pools</LinkButton>}
      />
    )
  return (
    <EmptyState
      title={hosted.length > 0 ? 'These clusters have no pools here.' : 'No OpenShift cluster is connected here.'}
      action={<LinkButton href="/clusters">Clusters</LinkButton>}
    >
      {hosted.length > 0
        ? hostedWords(data)
        : 'Pools are how OpenShift brings a configuration to its nodes. Connect an OpenShift cluster, and its pools and nodes stand here within seconds.'}
    </EmptyState>
  )
}

function PoolTable({ pools }: { pools: PoolRowDto[] }) {
  return (
    <Table stack label="Machine Config pools" className="mt-2">
      <thead>
        <tr>
          <Th>pool</Th>
          <Th>nodes</Th>
          <Th>state</Th>
          <Th num>up to date</Th>
          <Th wide>release</Th>
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <PoolRow key={pool.id} pool={pool} />
        ))}
      </tbody>
    </Table>
  )
}

function PoolRow({ pool }: { pool: PoolRowDto }) {
  const { tone, words } = stateOf(pool)
  return (
    <Tr>
      <Td>
        <Link href={`/pools/${pool.id}`} className="font-medium hover:underline">
          {pool.name}
        </Link>
        <span className="block text-sm text-ink-3">{pool.cluster}</span>
      </Td>
      <Td>
        <SmallHull data={pool.hull} held={pool.paused} className="max-w-72" />
      </Td>
      <Td>
        <div className="flex flex-wrap items-center gap-1.5">
          <Chip tone={tone}>{words}</Chip>
          {pool.old && <Chip>old data</Chip>}
          {pool.reviewDue && <Chip tone="needs">review due</Chip>}
          {pool.certEnds && <Chip tone="bad">certificate ends {pool.certEnds.slice(0, 10)}</Chip>}
          {pool.stuck > 0 && <Chip tone="bad">{pool.stuck} stuck</Chip>}
          {pool.pausedSince && (
            <span className="text-sm text-ink-3">
              {pool.held ? 'held' : 'paused'} <RelativeTime at={pool.pausedSince} />
              {sinceWords(pool)}
            </span>
          )}
        </div>
        <p className="mt-0.5 max-w-[64ch] text-sm text-pretty wrap-anywhere text-ink-2">
          {pool.sentence}
          {pool.change?.unapproved && ` Nobody decided that here: ${UNAPPROVED_WHY[pool.change.unapproved]}.`}
        </p>
      </Td>
      <Td num>
        {pool.updated.toLocaleString('en-GB')} of {pool.machines.toLocaleString('en-GB')}
        <span className="hidden max-phone:inline"> up to date</span>
      </Td>
      <Td wide>
        <Releases {...pool} />
      </Td>
    </Tr>
  )
}
