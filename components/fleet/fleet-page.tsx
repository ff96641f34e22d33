'use client'

import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { getJson, problemFrom } from '@/components/live'
import { count, EmptyState, ErrorState, LinkButton, RelativeTime, Section } from '@/components/ui'
import type { Fleet } from '@/lib/services/fleet/get-fleet'
import { headline } from './headline'
import { LeftHeld } from './left-held'
import { Needs } from './needs'
import { Workloads } from './workloads'

/** The home page; its first view comes from the server. */
export function FleetPage({ initial, query, mayConnect }: { initial: Fleet; query: string; mayConnect: boolean }) {
  const { data, error } = useQuery({
    queryKey: ['machines', 'fleet', query],
    queryFn: ({ signal }) => getJson<Fleet>(`/api/fleet?${query}`, signal),
    initialData: initial,
    refetchInterval: 15_000, // a worker that died announces nothing
    meta: { topics: ['groups', 'clusters', 'changes', 'decisions', 'boot-images', 'gates', 'streams'] },
  })
  const params = useSearchParams()
  if (data.totals.clusters === 0) return <NoClusters mayConnect={mayConnect} />
  return (
    <div className="max-w-[1320px]">
      {error && <ErrorState error={problemFrom(error)} className="mb-4" />}
      <h1>{headline(data.needs)}</h1>
      {data.needs.length > 0 ? (
        <Needs needs={data.needs} />
      ) : (
        <p className="mt-1 text-ink-2">
          {data.last ? (
            <>
              The last decision was {data.last.who}’s on <span className="font-mono text-sm">{data.last.group}</span>,{' '}
              <RelativeTime at={data.last.at} />.
            </>
          ) : (
            'Nothing has needed a decision yet.'
          )}
        </p>
      )}
      <LeftHeld left={data.left} />
      <Section title="Workload clusters" aside={totalsWords(data.totals)}>
        {data.workloads.length > 0 ? (
          <Workloads fleet={data} params={params} />
        ) : (
          <EmptyState title="No workload clusters in this scope.">
            They appear here as soon as the first list of a newly connected cluster is in; that takes seconds.
          </EmptyState>
        )}
      </Section>
    </div>
  )
}

const totalsWords = ({ workloads, machines, clusters, disconnected }: Fleet['totals']): string =>
  `${count(workloads, 'cluster')}, ${count(machines, 'machine')}, ${count(clusters, 'management cluster')}${disconnected > 0 ? `, ${disconnected} disconnected` : ''}`

function NoClusters({ mayConnect }: { mayConnect: boolean }) {
  return (
    <div className="max-w-3xl">
      <h1 className="mb-4">No management cluster is connected yet.</h1>
      <EmptyState
        title={mayConnect ? 'Connect one with a kubeconfig.' : 'An administrator of Drydock can connect one.'}
        action={
          mayConnect && (
            <LinkButton tone="primary" href="/clusters/new">
              Connect a cluster
            </LinkButton>
          )
        }
      >
        Drydock says what it would keep of it and what it refuses, tests it, and then shows every machine of its
        workload clusters. Connecting changes nothing in the cluster.
      </EmptyState>
    </div>
  )
}
