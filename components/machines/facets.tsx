'use client'

import { Facets as AnyFacets } from '@/components/table/facets'
import { VERDICT_WORDS } from '@/lib/domain/verdict'
import { isOn, parseFilter, toggled } from '@/lib/services/machines/filter'
import type { Facet, FacetCounts } from '@/lib/services/machines/list-machines'

const TITLES: [Facet, string][] = [
  ['cluster', 'Cluster'],
  ['verdict', 'Verdict'],
  ['state', 'State'],
  ['phase', 'Phase'],
]

/** What the machines can be narrowed to. */
export function Facets({
  facets,
  q,
  href,
  folded,
}: {
  facets: FacetCounts
  q: string
  href(text: string): string
  folded: boolean
}) {
  const filter = parseFilter(q)
  return (
    <AnyFacets
      groups={TITLES.map(([key, title]) => ({
        ...{ key, title, values: facets[key] },
        ...(key === 'verdict' && { words: VERDICT_WORDS }),
      }))}
      isOn={(key, value) => isOn(filter, key as Facet, value)}
      href={(key, value) => href(toggled(q, key as Facet, value))}
      folded={folded}
    />
  )
}
