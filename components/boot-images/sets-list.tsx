'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { getJson } from '@/components/live'
import { parseSetFilter, toggledSet, type SetKey } from '@/lib/services/skew/filter'
import type { ImageSetPage } from '@/lib/services/skew/list-sets'
import { IMAGE_WORDS } from '@/lib/domain/boot-images/image-words'
import { PLATFORM_WORDS } from '@/lib/domain/skew/platform-words'
import { ListFrame } from './list-frame'
import { SetsTable } from './sets-table'
import { useTo } from './use-list'
import { OUTCOMES } from '@/lib/domain/boot-images/set-words'

const TITLES: [keyof ImageSetPage['facets'], string, Readonly<Record<string, string>>?][] = [
  ['state', 'Boot image', IMAGE_WORDS],
  ['outcome', 'The operator', OUTCOMES],
  ['managed', 'Managed', { yes: 'managed', no: 'not managed' }],
  ['platform', 'Platform', PLATFORM_WORDS],
  ['arch', 'Architecture'],
  ['kind', 'Kind', { workers: 'machine sets', 'control-plane': 'control planes' }],
]

/** All machine sets of all OpenShift clusters, those that need somebody first. */
export function BootImageSets({ initial, query }: { initial: ImageSetPage; query: string }) {
  const params = useSearchParams()
  const to = useTo()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['boot-images', 'sets', query],
    queryFn: ({ signal }) => getJson<ImageSetPage>(`/api/boot-images/sets?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters'] },
  })
  return (
    <ListFrame
      tab="sets"
      title="Which image each machine set starts machines from."
      query={query}
      filter={parseSetFilter(params.get('q') ?? '')}
      toggled={(text, key, value) => toggledSet(text, key as SetKey, value)}
      placeholder="state:outdated managed:no platform:aws"
      facets={TITLES.map(([key, title, words]) => ({ key, title, values: data.facets[key], ...(words && { words }) }))}
      total={data.total}
      one="machine set"
      shown={data.sets.length}
      after={data.after}
      problems={data.problems}
      error={error}
      old={isPlaceholderData}
    >
      <SetsTable sets={data.sets} label="Machine sets" clusters sorts={to} />
    </ListFrame>
  )
}
