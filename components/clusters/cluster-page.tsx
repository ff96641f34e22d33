'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { getJson, problemFrom } from '@/components/live'
import { Chip, CodeBlock, count, EmptyState, ErrorState, RelativeTime, Section } from '@/components/ui'
import { asChosen } from '@/lib/domain/access/as-chosen'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import type { ClusterActions } from './actions'
import { awayWords, stateOf } from './away-words'
import { CredentialsPanel } from './credentials-panel'
import { DisconnectPanel } from './disconnect-panel'
import { elsewhereWords } from './elsewhere-words'
import { Found } from './found'
import { GatePanel } from './gate-panel'
import { LatchPanel } from './latch-panel'
import { LeftPanel } from './left-panel'
import { Streams } from './streams'
import { UpdatersPanel } from './updaters-panel'

interface Props {
  initial: ClusterDetail
  rbacYaml: string
  updaters: UpdatersOfCluster[]
  mayWrite: boolean
  actions: ClusterActions
}

/** One connection: what it is, what Drydock governs there, and how well it hears. */
export function ClusterPage({ initial, rbacYaml, updaters, mayWrite, actions }: Props) {
  const { data: cluster, error } = useQuery({
    queryKey: ['clusters', initial.id],
    queryFn: ({ signal }) => getJson<ClusterDetail>(`/api/clusters/${initial.id}`, signal),
    initialData: initial,
    refetchInterval: 15_000, // a worker that died announces nothing
    meta: { topics: ['streams', 'groups'] },
  })
  const state = stateOf(cluster)
  const away = awayWords(cluster)
  const elsewhere = cluster.connected ? elsewhereWords(cluster.streams) : null
  const found = cluster.discovery && asChosen(cluster.discovery, cluster.policy)
  // Once disconnected nothing of it is known, so nothing is said of it and nothing offered.
  const governs = cluster.connected && found?.clusterApi
  const latches = cluster.connected && (found?.clusterApi ?? found?.openshift)
  return (
    <>
      <p className="mb-1 text-ink-3">
        <Link href="/clusters" className="hover:underline">
          Clusters
        </Link>{' '}
        / <b className="font-medium text-ink-2">{cluster.name}</b>
      </p>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1>{cluster.name}</h1>
        <Chip tone={state.tone}>{state.word}</Chip>
        <span className="text-sm text-ink-3">
          last heard <RelativeTime at={cluster.lastHeardAt} />
        </span>
      </header>
      {error && <ErrorState className="mt-3" error={problemFrom(error)} />}
      {away.length > 0 && (
        <p role="alert" className="mt-1 max-w-[90ch] text-blocked">
          {away.join(' ')}
        </p>
      )}
      {elsewhere && (
        <p role="alert" className="mt-1 max-w-[90ch] text-pretty text-blocked">
          {elsewhere}
        </p>
      )}
      {cluster.stateMessage && (
        <p className={`mt-1 max-w-[90ch] ${cluster.connected ? 'text-blocked' : 'text-ink-2'}`}>
          {cluster.stateMessage}
        </p>
      )}
      <p className="mt-1 text-ink-2">
        <span className="font-mono text-sm break-all">{cluster.server}</span>
        {cluster.connected &&
          ` · ${count(cluster.counts.workloadClusters, 'workload cluster')}, ${count(cluster.counts.groups, 'group')}, ${count(cluster.counts.machines, 'machine')}`}
        {cluster.counts.held > 0 && (
          <>
            {' · '}
            <Link
              href={`/updates?cluster=${encodeURIComponent(cluster.name)}`}
              className="font-medium text-needs-ink underline-offset-2 hover:underline"
            >
              {count(cluster.counts.held, 'group')} held
            </Link>
          </>
        )}
      </p>

      <LeftPanel cluster={cluster} mayWrite={mayWrite} actions={actions} />
      <Section
        title={cluster.connected ? 'What Drydock found' : 'What Drydock found when it was connected'}
        aside={
          <>
            asked <RelativeTime at={cluster.discoveredAt} />
          </>
        }
      >
        {found ? (
          <Found found={found} />
        ) : (
          <EmptyState title="Not asked yet.">The worker asks as soon as it reaches the API server.</EmptyState>
        )}
        {found && (
          <details className="mt-3">
            <summary className="text-ink-2">The exact RBAC that Drydock needs here</summary>
            <CodeBlock text={rbacYaml} className="mt-2" />
          </details>
        )}
      </Section>
      {latches && <LatchPanel cluster={cluster} mayWrite={mayWrite} actions={actions} />}
      {governs && <GatePanel cluster={cluster} mayWrite={mayWrite} actions={actions} />}
      {governs && <UpdatersPanel cluster={cluster.name} initial={updaters} mayWrite={mayWrite} />}
      {cluster.connected && <Streams streams={cluster.streams} owner={cluster.owner} away={cluster.away !== null} />}
      {mayWrite && cluster.connected && <CredentialsPanel cluster={cluster} actions={actions} />}
      {mayWrite && cluster.connected && <DisconnectPanel cluster={cluster} actions={actions} />}
    </>
  )
}
