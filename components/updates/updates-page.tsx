'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getJson, problemFrom } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import { EmptyState, ErrorState, LinkButton, Pager, Selectable, Tabs } from '@/components/ui'
import type { UpdatesPage as Data } from '@/lib/services/fleet/list-updates'
import { ChangeTable } from './change-table'
import { rightWords } from './fidelity'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import { SelectAll } from './several/boxes'
import { asked } from './several/selection'
import { SeveralBar, useSeveral } from './several/several'
import type { SeveralActions } from './several/several-sheet'

const TABS = [
  ['waiting', 'Waiting'],
  ['running', 'Running'],
  ['done', 'Done'],
] as const

export function UpdatesPage({ initial, query, actions }: { initial: Data; query: string; actions: SeveralActions }) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['changes', 'list', query],
    queryFn: ({ signal }) => getJson<Data>(`/api/updates?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['decisions', 'machines', 'clusters', 'policies'] },
  })
  const several = useSeveral({ data, query, isOld: isPlaceholderData })
  const selectable = asked(data.changes, data.unaskable).map(({ id }) => id)
  const params = new URLSearchParams(query)
  const tab = params.get('tab') ?? 'waiting'
  const to = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(params)
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key)
      else next.set(key, value)
    }
    return `/updates?${next}`
  }
  return (
    <div className="max-w-[1320px]">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h1>Updates</h1>
        <div className="flex flex-wrap items-center gap-3">
          <LinkButton href="/updates/waves" prefetch={false}>
            Waves
          </LinkButton>
          {data.may.plan && (
            <LinkButton href={params.get('cluster') ? `/plan?cluster=${params.get('cluster')}` : '/plan'}>
              Plan a change
            </LinkButton>
          )}
          <FilterBox
            value={params.get('q') ?? ''}
            href={(q) => to({ q: q || null, cursor: null })}
            placeholder="Group, cluster, version or author"
          />
        </div>
      </div>
      <Tabs
        label="Updates by state"
        items={TABS.map(([id, label]) => ({
          href: to({ tab: id, cursor: null }),
          label,
          count: data.counts[id],
          current: tab === id,
          needs: id === 'waiting',
        }))}
      />
      {error && <ErrorState error={problemFrom(error)} className="mt-4" />}
      <Selectable bar={several && <SeveralBar several={several} may={data.may} actions={actions} />}>
        {data.changes.length > 0 ? (
          <>
            {data.track && (
              <p className="mt-3 text-sm text-ink-2">
                What Drydock foretold when these were approved came true for {rightWords(data.track)}.
              </p>
            )}
            {several && selectable.length > 0 && (
              <div className="mt-3">
                <SelectAll ids={selectable} most={MOST_AT_ONCE} selection={several.selection} />
              </div>
            )}
            <ChangeTable data={data} tab={tab} selection={several?.selection ?? null} />
            <Pager
              shown={data.changes.length}
              total={data.counts[tab as keyof Data['counts']]}
              next={data.cursor && to({ cursor: data.cursor })}
              top={params.get('cursor') && to({ cursor: null })}
            />
          </>
        ) : (
          <div className="mt-5">
            <Nothing tab={tab} filtered={Boolean(params.get('q') ?? params.get('cluster'))} />
          </div>
        )}
      </Selectable>
    </div>
  )
}

function Nothing({ tab, filtered }: { tab: string; filtered: boolean }) {
  if (filtered) return <EmptyState title="No update matches.">Widen the filter or the scope.</EmptyState>
  if (tab === 'running') return <EmptyState title="Nothing is rolling out." />
  if (tab === 'done') return <EmptyState title="No update has finished yet." />
  return (
    <EmptyState title="No update waits." action={<LinkButton href="/clusters">What is governed</LinkButton>}>
      A change of a governed group appears here within a second of being written, held by the API server until somebody
      approves it. Which groups are governed is chosen on the page of each cluster.
    </EmptyState>
  )
}
