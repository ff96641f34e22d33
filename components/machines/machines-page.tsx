'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import dynamic from 'next/dynamic'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useCallback } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import { FilterChips } from '@/components/table/filter-chips'
import { Button, EmptyState, ErrorState, LinkButton, Pager } from '@/components/ui'
import { parseFilter } from '@/lib/services/machines/filter'
import type { MachinePage } from '@/lib/services/machines/list-machines'
import { ColumnPicker } from './columns'
import { Facets } from './facets'
import { MachineTable } from './machine-table'

const MachineDrawer = dynamic(() => import('./machine-drawer').then((m) => m.MachineDrawer), { ssr: false })

/** One live table over all clusters. Everything that one could send to a colleague stands in the URL. */
export function MachinesPage({ initial, query }: { initial: MachinePage; query: string }) {
  const params = useSearchParams()
  const path = usePathname()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['machines', 'list', query],
    queryFn: ({ signal }) => getJson<MachinePage>(`/api/machines?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters'] },
  })
  const to = useCallback(
    (changes: Record<string, string | null>) => {
      const next = new URLSearchParams(params)
      for (const [key, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(key)
        else next.set(key, value)
      }
      return next.size > 0 ? `${path}?${next}` : path
    },
    [params, path],
  )
  const q = params.get('q') ?? ''
  const filter = parseFilter(q)
  const filterHref = useCallback((text: string) => to({ q: text, after: null }), [to])
  const open = params.get('machine')
  const filtered = q !== '' || params.has('cluster')
  const some = data.total > 0 || filtered
  return (
    <div className={open ? 'min-[1100px]:pr-[460px]' : undefined}>
      <h1 className="sr-only">Machines</h1>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBox
          mono
          value={q}
          href={filterHref}
          placeholder="cluster:atlas state:failed version:<1.34"
          describedBy="filter-problems"
        />
        <FilterChips filter={filter} href={filterHref} />
        <span className="grow" />
        <ColumnPicker shown={params.get('cols')} href={(cols) => to({ cols })} />
        <span role="status" className="text-sm text-ink-3">
          {data.total.toLocaleString('en-GB')} {data.total === 1 ? 'machine' : 'machines'}
        </span>
      </div>
      <div id="filter-problems" aria-live="polite">
        {data.problems.map((problem) => (
          <p key={problem} className="mb-2 text-blocked">
            {problem}
          </p>
        ))}
      </div>
      {error && <ErrorState error={problemFrom(error)} className="mb-3" />}
      <div
        className={clsx(
          'items-start gap-6',
          some && 'grid grid-cols-[168px_minmax(0,1fr)]',
          open ? 'max-[1600px]:block' : 'max-[1380px]:block',
        )}
      >
        {some && <Facets facets={data.facets} q={q} href={filterHref} folded={open !== null} />}
        <div className={isPlaceholderData ? 'opacity-60' : undefined}>
          {data.machines.length > 0 ? (
            <MachineTable page={data} open={open} to={to} />
          ) : (
            <Nothing filtered={filtered} clear={path} />
          )}
          <Pager
            shown={data.machines.length}
            total={data.total}
            next={data.after && to({ after: data.after })}
            top={params.get('after') && to({ after: null })}
          />
        </div>
      </div>
      {open && (
        <MachineDrawer key={open} id={open} onClose={() => window.history.pushState(null, '', to({ machine: null }))} />
      )}
    </div>
  )
}

function Nothing({ filtered, clear }: { filtered: boolean; clear: string }) {
  const router = useRouter()
  if (!filtered)
    return (
      <EmptyState title="No machines yet." action={<LinkButton href="/clusters">To the clusters</LinkButton>}>
        They appear as soon as the first list of a connected management cluster is in. Whether one is connected, and
        what it says, is on its page.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No machine matches."
      action={<Button onClick={() => router.push(clear)}>Clear filter and scope</Button>}
    >
      Each word narrows the list; values after one another, as in <code>state:failed,updating</code>, widen it.
    </EmptyState>
  )
}
