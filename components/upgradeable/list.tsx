'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
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
  Version,
} from '@/components/ui'
import type { ClusterUpdatesDto, ClusterUpdatesList } from '@/lib/services/upgradeable/list-clusters'
import { oldSince, STATES } from './words'

const TABS = [
  [null, 'All', 'all'],
  ['closed', 'Closed', 'closed'],
  ['gates', 'Gates', 'gates'],
  ['open', 'Open', 'open'],
  ['unknown', 'Unknown', 'unknown'],
] as const

/** OpenShift clusters by whether updates to another minor version are open. */
export function UpgradeableList({ initial, query }: { initial: ClusterUpdatesList; query: string }) {
  const { data, error } = useQuery({
    queryKey: ['gates', 'list', query],
    queryFn: ({ signal }) => getJson<ClusterUpdatesList>(`/api/upgradeable?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters'] },
  })
  const params = new URLSearchParams(query)
  const only = params.get('only')
  const to = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(params)
    next.delete('after')
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key)
      else next.set(key, value)
    }
    return next.size > 0 ? `/upgradeable?${next}` : '/upgradeable'
  }
  const filtered = only !== null || params.has('q')
  return (
    <div className="max-w-[1320px]">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h1>Upgradeable</h1>
        <FilterBox value={params.get('q') ?? ''} href={(q) => to({ q: q || null })} placeholder="Cluster" />
      </div>
      <Tabs
        label="Clusters by whether updates are open"
        items={TABS.map(([value, label, counted]) => ({
          href: to({ only: value }),
          label,
          count: data.counts[counted],
          current: only === value,
          needs: value === 'gates',
        }))}
      />
      {error && <ErrorState error={problemFrom(error)} className="mt-3" />}
      {data.clusters.length === 0 ? (
        <div className="mt-4">{filtered ? <NoneOfThese href="/upgradeable" /> : <None />}</div>
      ) : (
        <Table stack label="OpenShift clusters" className="mt-3">
          <thead>
            <tr>
              <Th>cluster</Th>
              <Th>version</Th>
              <Th>minor updates</Th>
              <Th>first reason</Th>
            </tr>
          </thead>
          <tbody>
            {data.clusters.map((cluster) => (
              <Row key={cluster.clusterId} cluster={cluster} />
            ))}
          </tbody>
        </Table>
      )}
      <Pager
        shown={data.clusters.length}
        next={data.next ? to({ after: data.next }) : null}
        top={params.has('after') ? to({}) : null}
      />
    </div>
  )
}

function Row({ cluster }: { cluster: ClusterUpdatesDto }) {
  const { tone, words } = STATES[cluster.state]
  const lastHeardAt = oldSince(cluster)
  return (
    <Tr>
      <Td>
        <Link href={`/upgradeable?cluster=${encodeURIComponent(cluster.name)}`} className="font-medium">
          {cluster.name}
        </Link>
        {lastHeardAt !== undefined && (
          <span className="ml-2 text-sm text-ink-3">
            old: last heard {lastHeardAt ? <RelativeTime at={lastHeardAt} /> : 'never'}
          </span>
        )}
      </Td>
      <Td>
        <Version>{cluster.version}</Version>
        {cluster.underway && <span className="ml-2 text-sm text-ink-3">on its way to {cluster.underway}</span>}
      </Td>
      <Td>
        <span className="inline-flex flex-wrap gap-1.5">
          <Chip tone={tone}>{words}</Chip>
          {cluster.gatesWaiting > 0 && (
            <Chip tone="needs">{`${count(cluster.gatesWaiting, 'gate')} ${cluster.gatesWaiting === 1 ? 'waits' : 'wait'}`}</Chip>
          )}
        </span>
      </Td>
      <Td>
        <span className="text-pretty wrap-anywhere text-ink-2">
          {cluster.first}
          {cluster.blockers > 1 && <span className="text-ink-3"> and {cluster.blockers - 1} more</span>}
        </span>
      </Td>
    </Tr>
  )
}

const None = () => (
  <EmptyState
    title="No OpenShift cluster is connected here."
    action={<LinkButton href="/clusters">Clusters</LinkButton>}
  >
    OpenShift clusters say themselves whether they may go to another minor version. Connect one, and what keeps its
    updates closed stands here within seconds.
  </EmptyState>
)

const NoneOfThese = ({ href }: { href: string }) => (
  <EmptyState title="No cluster is like that." action={<LinkButton href={href}>Show all</LinkButton>} />
)
