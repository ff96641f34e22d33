'use client'

import clsx from 'clsx'
import { useRouter, useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { problemFrom } from '@/components/live'
import { Facets, type FacetGroup } from '@/components/table/facets'
import { FilterBox } from '@/components/table/filter-box'
import { FilterChips } from '@/components/table/filter-chips'
import { Button, EmptyState, ErrorState, LinkButton, Pager, Tabs } from '@/components/ui'
import { isOn, type Filter } from '@/lib/services/filter-grammar'
import type { Tab } from './list-keys'
import { useTo } from './use-list'

interface Props {
  tab: Tab
  title: string
  /** One line below the title. */
  aside?: ReactNode
  query: string
  filter: Filter
  toggled(text: string, key: string, value: string): string
  placeholder: string
  facets: FacetGroup[]
  total: number
  /** What is counted: "cluster", "machine set", "image". */
  one: string
  shown: number
  after: string | null
  problems: string[]
  error: unknown
  /** What is shown is of the filter before. */
  old: boolean
  children: ReactNode
}

const NOTHING: Record<Tab, string> = {
  clusters: 'No OpenShift cluster is connected here.',
  sets: 'No machine set is known here.',
  nodes: 'No node of an OpenShift cluster is known here.',
}

/** What all lists of boot images have: heading, tabs, filter, facets, export, pages. */
export function ListFrame(props: Props) {
  const { tab, title, aside, query, filter, toggled, facets, total, one, shown, after, problems, error, old } = props
  const params = useSearchParams()
  const router = useRouter()
  const to = useTo()
  const q = params.get('q') ?? ''
  const filtered = q !== '' || params.has('cluster')
  const some = total > 0 || filtered
  const href = (text: string) => to({ q: text, after: null })
  const exported = (as: string) => {
    const all = new URLSearchParams(query)
    all.delete('after')
    return `/api/boot-images/export?${new URLSearchParams([['of', tab], ['as', as], ...all])}`
  }
  const tabs = (
    [
      ['clusters', 'Clusters'],
      ['sets', 'Machine sets'],
      ['nodes', 'Nodes'],
    ] as const
  ).map(([key, label]) => ({
    href: to({ tab: key === 'clusters' ? null : key, q: null, sort: null, dir: null, after: null }),
    label,
    current: key === tab,
    // What is counted there are images, as it says beside the filter.
    ...(key === tab && key !== 'nodes' && { count: total }),
  }))
  return (
    <div>
      <h1 className="max-w-[62ch] text-lg leading-snug font-[560] text-pretty">{title}</h1>
      {aside && <p className="mt-1 max-w-[84ch] text-pretty text-ink-2">{aside}</p>}
      <div className="mt-4 mb-3">
        <Tabs label="Boot images" items={tabs} />
      </div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBox mono value={q} href={href} placeholder={props.placeholder} describedBy="filter-problems" />
        <FilterChips filter={filter} href={href} facets={facets} />
        <span className="grow" />
        <span role="status" className="text-sm text-ink-3">
          {total.toLocaleString('en-GB')} {total === 1 ? one : `${one}s`}
        </span>
        {/* A file would not say what of its filter was not understood. */}
        {total > 0 && problems.length === 0 && (
          <>
            <a className="btn btn-small" href={exported('csv')} download>
              Export CSV
            </a>
            <a className="btn btn-small" href={exported('json')} download>
              JSON
            </a>
          </>
        )}
      </div>
      <div id="filter-problems" aria-live="polite">
        {problems.map((problem) => (
          <p key={problem} className="mb-2 text-blocked">
            {problem}
          </p>
        ))}
      </div>
      {error !== null && <ErrorState error={problemFrom(error)} className="mb-3" />}
      <div className={clsx('items-start gap-6 max-[1380px]:block', some && 'grid grid-cols-[168px_minmax(0,1fr)]')}>
        {some && (
          <Facets
            groups={facets}
            isOn={(key, value) => isOn(filter, key, value)}
            href={(key, value) => href(toggled(q, key, value))}
          />
        )}
        <div className={old ? 'opacity-60' : undefined}>
          {shown > 0 ? (
            props.children
          ) : filtered ? (
            <EmptyState
              title={q === '' ? `${params.get('cluster')} is no OpenShift cluster.` : `No ${one} matches.`}
              action={
                <Button onClick={() => router.push(tab === 'clusters' ? '/boot-images' : `/boot-images?tab=${tab}`)}>
                  {q === '' ? 'All OpenShift clusters' : 'Clear filter and scope'}
                </Button>
              }
            >
              {q === '' ? (
                'Boot images are managed by OpenShift; of other clusters there is nothing to show here.'
              ) : (
                <>
                  Each word narrows the list; values after one another, as in <code>platform:aws,gcp</code>, widen it.
                </>
              )}
            </EmptyState>
          ) : (
            <EmptyState title={NOTHING[tab]} action={<LinkButton href="/clusters">Clusters</LinkButton>}>
              Boot images are managed by OpenShift. Connect an OpenShift cluster, and its machine sets and its limit
              stand here within seconds.
            </EmptyState>
          )}
          <Pager
            shown={shown}
            total={total}
            next={after && to({ after })}
            top={params.get('after') && to({ after: null })}
          />
        </div>
      </div>
    </div>
  )
}
