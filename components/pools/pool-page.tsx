'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { BigHull } from '@/components/hull'
import { getJson, problemFrom, useOfCluster } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import { Chip, ErrorState, Pager, RelativeTime, Section, Tabs } from '@/components/ui'
import { PHASES as ALL } from '@/lib/domain/pools/types'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import { ConfigSection } from './config-section'
import { PoolLegend } from './legend'
import { NodeTable } from './node-table'
import { PoolActions } from './pool-actions'
import { PoolFacts } from './pool-facts'
import type { PoolActions as Actions } from './types'
import { imageWanted, pauseTimes, phaseWords, stateOf, withQuery } from './words'

const NodeSheet = dynamic(() => import('./node-sheet').then((m) => m.NodeSheet), { ssr: false })

/** One pool: its sentence, its nodes as a hull, what differs, and each node with its steps. */
export function PoolPage({ initial, query, actions }: { initial: PoolDetail; query: string; actions: Actions }) {
  const router = useRouter()
  const path = usePathname()
  const params = useSearchParams()
  const { data: pool, error } = useQuery({
    queryKey: ['pools', initial.id, query],
    queryFn: ({ signal }) => getJson<PoolDetail>(`/api/pools/${initial.id}?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters'] },
  })
  useOfCluster(pool.cluster)
  const to = (changes: Record<string, string | null>) => withQuery(path, params, changes)
  const open = params.get('node')
  const chip = stateOf({ ...pool, ...pool.hold })
  return (
    <div className="max-w-[1320px]">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-ink-3">
        <span>{pool.cluster}</span>
        <Chip tone={chip.tone}>{chip.words}</Chip>
        {pool.stuck > 0 && <Chip tone="bad">{pool.stuck} stuck</Chip>}
        {pool.reviewDue && <Chip tone="needs">review due</Chip>}
        {pauseTimes(pool).map(({ what, at, or }) => (
          <span key={what}>
            {what} <RelativeTime at={at} />
            {or}
          </span>
        ))}
        {pool.pending && <Chip>the operator has not looked at the newest change yet</Chip>}
      </header>
      <h1 className="mt-1">{pool.name}</h1>
      <p className="mt-1 max-w-[84ch] text-md font-[560] text-pretty wrap-anywhere">{pool.sentence}</p>
      {error && <ErrorState error={problemFrom(error)} className="mt-3" />}
      <Unheard pool={pool} />
      {pool.certificateWarning && <p className="mt-2 max-w-[84ch] text-pretty text-ink-2">{pool.certificateWarning}</p>}
      <PoolActions pool={pool} actions={actions} />
      <div className="mt-4">
        <BigHull data={pool.hull} held={pool.paused} open={(id) => openNode(id)} />
        <PoolLegend counts={pool.hull.counts} />
      </div>
      <Section title="Pool">
        <PoolFacts pool={pool} />
      </Section>
      <ConfigSection
        poolId={pool.id}
        currentConfig={pool.currentConfig}
        desiredConfig={pool.desiredConfig}
        elsewhere={pool.elsewhere}
        image={imageWanted(pool)}
      />
      <Section
        title="Nodes"
        aside={
          <FilterBox
            value={params.get('q') ?? ''}
            href={(q) => to({ q, after: null })}
            placeholder="Node, zone or what it is at"
          />
        }
      >
        <Phases pool={pool} phase={params.get('phase')} to={to} />
        {pool.nodes.length > 0 ? (
          <NodeTable nodes={pool.nodes} pool={pool.name} href={(node) => to({ node })} selected={open} />
        ) : (
          <p className="mt-3 text-ink-3">{nothing(pool, params)}</p>
        )}
        <Pager
          shown={pool.nodes.length}
          total={pool.nodesTotal}
          next={pool.after && to({ after: pool.after })}
          top={params.get('after') && to({ after: null })}
        />
      </Section>
      {open && (
        <NodeSheet
          key={open}
          poolId={pool.id}
          node={open}
          onClose={() => router.replace(to({ node: null }), { scroll: false })}
        />
      )}
    </div>
  )

  function openNode(id: string) {
    const name = pool.hull.cells?.find((cell) => cell.id === id)?.name
    if (name) router.push(to({ node: name }), { scroll: false })
  }
}

function nothing(pool: PoolDetail, params: URLSearchParams): string {
  if (params.get('q') ?? params.get('phase')) return 'No node matches.'
  return pool.counts.machines > 0
    ? 'The operator counts nodes here, and none of them can be read: look at the permissions on the page Clusters.'
    : 'No node carries the label that this pool selects.'
}

function Unheard({ pool }: { pool: PoolDetail }) {
  const { connection, unheard, sentence } = pool
  const { state, message, lastHeardAt } = connection
  const isCut = state === 'unreachable' || state === 'unauthorised'
  if (!isCut && !unheard) return null
  const at = isCut ? lastHeardAt : unheard!.since
  // Of the pool itself, its sentence says why.
  const why = isCut ? message : sentence.toLowerCase().includes(unheard!.why.toLowerCase()) ? null : unheard!.why
  return (
    <p className="mt-2 max-w-[84ch] text-sm text-pretty wrap-anywhere text-ink-2">
      Old data: last heard {at ? <RelativeTime at={at} /> : 'never'}. {why}
    </p>
  )
}

function Phases({
  pool,
  phase,
  to,
}: {
  pool: PoolDetail
  phase: string | null
  to(changes: Record<string, string | null>): string
}) {
  const there = ALL.filter((of) => (pool.phases[of] ?? 0) > 0 || of === phase)
  const stuck = pool.stuck > 0 || phase === 'stuck'
  if (there.length < 2 && !stuck && phase === null) return null
  const all = Object.values(pool.phases).reduce((sum, n) => sum + n, 0)
  return (
    <div className="overflow-x-auto [&_a]:whitespace-nowrap [&>nav]:w-max [&>nav]:min-w-full">
      <Tabs
        label="Nodes by phase"
        items={[
          { href: to({ phase: null, after: null }), label: 'All', count: all, current: phase === null },
          ...(stuck
            ? [
                {
                  href: to({ phase: 'stuck', after: null }),
                  label: 'Stuck',
                  count: pool.stuck,
                  current: phase === 'stuck',
                  needs: true,
                },
              ]
            : []),
          ...there.map((of) => ({
            href: to({ phase: of, after: null }),
            label: upper(phaseWords({ phase: of, standing: pool.standing }).words),
            count: pool.phases[of] ?? 0,
            current: phase === of,
            needs: of === 'degraded',
          })),
        ]}
      />
    </div>
  )
}

const upper = (words: string): string => words[0]!.toUpperCase() + words.slice(1)
