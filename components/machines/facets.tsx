'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { useState } from 'react'
import { VERDICT_WORDS, type Verdict } from '@/lib/domain/verdict'
import { isOn, parseFilter, toggled } from '@/lib/services/machines/filter'
import type { Facet, FacetCounts } from '@/lib/services/machines/list-machines'

const TITLES: [Facet, string][] = [
  ['cluster', 'Cluster'],
  ['verdict', 'Verdict'],
  ['state', 'State'],
  ['phase', 'Phase'],
]
const FEW = 8

/** What the list can be narrowed to, with how many there are. Where there is little room it folds. */
export function Facets({
  facets,
  q,
  href,
  folded,
}: {
  facets: FacetCounts
  q: string
  href(text: string): string
  /** The room is needed for what stands beside: it folds at wider widths already. */
  folded: boolean
}) {
  const lists = TITLES.map(([facet, title]) => (
    <FacetList key={facet} {...{ facet, title, q, href }} values={facets[facet]} />
  ))
  return (
    <>
      <details className={clsx('mb-3 hidden', folded ? 'max-[1600px]:block' : 'max-[1000px]:block')}>
        <summary className="min-h-8 text-ink-2">Narrow down</summary>
        <div className="mt-2 grid grid-cols-2 gap-x-6">{lists}</div>
      </details>
      <div className={folded ? 'max-[1600px]:hidden' : 'max-[1000px]:hidden'}>{lists}</div>
    </>
  )
}

function FacetList({
  facet,
  title,
  values,
  q,
  href,
}: {
  facet: Facet
  title: string
  values: FacetCounts[Facet]
  q: string
  href(text: string): string
}) {
  const [all, setAll] = useState(false)
  const filter = parseFilter(q)
  const shown = all ? values : values.slice(0, FEW)
  if (values.length === 0) return null
  return (
    <section className="mb-4">
      <h2 className="mb-1 text-sm text-ink-2">{title}</h2>
      <ul>
        {shown.map(({ value, count }) => {
          const on = isOn(filter, facet, value)
          return (
            <li key={value}>
              <Link
                href={href(toggled(q, facet, value))}
                scroll={false}
                aria-current={on ? 'true' : undefined}
                className={clsx(
                  'flex min-h-6 items-center justify-between gap-2 rounded px-1.5 -mx-1.5 hover:bg-sunk pointer-coarse:min-h-11',
                  on ? 'bg-sunk font-medium text-ink' : 'text-ink-2',
                )}
              >
                <span className="truncate" title={value}>
                  {on && <span aria-hidden>✓ </span>}
                  {facet === 'verdict' ? (VERDICT_WORDS[value as Verdict] ?? value) : value}
                </span>
                <span className="text-ink-3">{count.toLocaleString('en-GB')}</span>
              </Link>
            </li>
          )
        })}
      </ul>
      {values.length > FEW && (
        <button type="button" className="min-h-6 text-sm text-ink-3 hover:text-ink" onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `${values.length - FEW} more`}
        </button>
      )}
    </section>
  )
}
