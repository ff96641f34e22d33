'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { getJson, problemFrom } from '@/components/live'
import { Chip, count, EmptyState, ErrorState, LinkButton, RelativeTime, Table, Td, Th, Tr } from '@/components/ui'
import type { ClusterSummary } from '@/lib/services/clusters/list-clusters'
import { stateOf } from './away-words'
import { leftShort } from './left-words'
import { GOVERNS, versions } from './words'

/** All connections: reachable, what they are, what is governed, how old the data is. */
export function ClusterList({ initial, mayConnect }: { initial: ClusterSummary[]; mayConnect: boolean }) {
  const { data, error } = useQuery({
    queryKey: ['clusters', 'list'],
    queryFn: ({ signal }) => getJson<ClusterSummary[]>('/api/clusters', signal),
    initialData: initial,
    refetchInterval: 15_000, // a worker that died announces nothing
    meta: { topics: ['streams'] },
  })
  const connect = mayConnect && (
    <LinkButton href="/clusters/new" tone="primary">
      Connect a cluster
    </LinkButton>
  )
  if (data.length === 0) {
    return (
      <>
        <h1 className="mb-4">Clusters</h1>
        <EmptyState title="No management cluster is connected yet." action={connect || undefined}>
          Drydock connects to the cluster in which the Cluster API managers run, or to an OpenShift cluster, with an
          identity of its own.
          {!mayConnect && ' An administrator of Drydock can connect one.'}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <header className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h1>{count(data.length, 'management cluster')}</h1>
        <span className="flex flex-wrap items-center gap-2">
          <LinkButton href="/updaters">Updaters</LinkButton>
          {connect}
        </span>
      </header>
      {error && <ErrorState className="mb-3" error={problemFrom(error)} />}
      <Table label="Management clusters">
        <thead>
          <tr>
            <Th>cluster</Th>
            <Th>connection</Th>
            <Th wide>what it is</Th>
            <Th wide>governed</Th>
            <Th wide num>
              groups
            </Th>
            <Th num>machines</Th>
            <Th num>last heard</Th>
          </tr>
        </thead>
        <tbody>
          {data.map((cluster) => (
            <Row key={cluster.id} cluster={cluster} />
          ))}
        </tbody>
      </Table>
    </>
  )
}

function Row({ cluster }: { cluster: ClusterSummary }) {
  const state = stateOf(cluster)
  const missing = cluster.discovery?.missingPermissions.length ?? 0
  return (
    <Tr>
      <Td className="font-medium">
        <Link href={`/clusters/${cluster.id}`} className="hover:underline">
          {cluster.name}
        </Link>
      </Td>
      <Td>
        <Chip tone={state.tone}>{state.word}</Chip>
        {cluster.state === 'disconnected' && (
          <span className="hidden text-sm text-ink-2 max-phone:block">{leftShort(cluster)}</span>
        )}
        {cluster.gateTaken && <span className="ml-2 text-sm text-blocked">update gate taken away</span>}
        {missing > 0 && <span className="ml-2 text-sm text-blocked">{count(missing, 'permission')} missing</span>}
      </Td>
      <Td wide className="text-ink-2">
        {versions(cluster.discovery)}
      </Td>
      <Td wide className="text-ink-2">
        {cluster.state === 'disconnected' ? leftShort(cluster) : GOVERNS[cluster.governs]}
        {cluster.unprotected && <span className="ml-2 text-sm text-blocked">{cluster.unprotected}</span>}
      </Td>
      <Td wide num>
        {cluster.groups.toLocaleString('en-GB')}
      </Td>
      <Td num>{cluster.machines.toLocaleString('en-GB')}</Td>
      <Td num className="text-ink-2">
        <RelativeTime at={cluster.lastHeardAt} />
      </Td>
    </Tr>
  )
}
