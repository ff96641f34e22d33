'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { useState } from 'react'

export interface FacetGroup {
  key: string
  title: string
  values: { value: string; count: number }[]
  /** How a value is called, where that is not its own name. */
  words?: Readonly<Record<string, string>>
}

const FEW = 8

/** What a list can be narrowed to, with how many there are. Where there is little room it folds. */
export function Facets({
  groups,
  isOn,
  href,
  folded = false,
}: {
  groups: FacetGroup[]
  isOn(key: string, value: string): boolean
  /** The list with one value switched on or off. */
  href(key: string, value: string): string
  /** The room is needed for what stands beside: it folds at wider widths already. */
  folded?: boolean
}) {
  const lists = groups.map((group) => <FacetList key={group.key} {...{ group, isOn, href }} />)
  return (
    <>
      <details className={clsx('mb-3 hidden', folded ? 'max-[1600px]:block' : 'max-[1380px]:block')}>
        <summary className="min-h-8 text-ink-2">Narrow down</summary>
        <div className="mt-2 grid grid-cols-2 gap-x-6">{lists}</div>
      </details>
      <div className={folded ? 'max-[1600px]:hidden' : 'max-[1380px]:hidden'}>{lists}</div>
    </>
  )
}

function FacetList({
  group: { key, title, values, words },
  isOn,
  href,
}: {
  group: FacetGroup
  isOn(key: string, value: string): boolean
  href(key: string, value: string): string
}) {
  const [all, setAll] = useState(false)
  const shown = all ? values : values.slice(0, FEW)
  if (values.length === 0) return null
  return (
    <section className="mb-4">
      <h2 className="mb-1 text-sm text-ink-2">{title}</h2>
      <ul>
        {shown.map(({ value, count }) => {
          const on = isOn(key, value)
          return (
            <li key={value}>
              <Link
                href={href(key, value)}
                scroll={false}
                aria-current={on ? 'true' : undefined}
                className={clsx(
                  'flex min-h-6 items-center justify-between gap-2 rounded px-1.5 -mx-1.5 hover:bg-sunk pointer-coarse:min-h-11',
                  on ? 'bg-sunk font-medium text-ink' : 'text-ink-2',
                )}
              >
                <span className="truncate" title={value}>
                  {on && <span aria-hidden>✓ </span>}
                  {words?.[value] ?? value}
                </span>
                <span className="shrink-0 text-ink-3">{count.toLocaleString('en-GB')}</span>
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
