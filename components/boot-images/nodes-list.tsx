'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { getJson } from '@/components/live'
import { parseNodeFilter, toggledNode, type NodeKey } from '@/lib/services/skew/filter'
import type { NodeImagePage } from '@/lib/services/skew/list-node-images'
import { IMAGE_WORDS } from '@/lib/domain/boot-images/image-words'
import { PLATFORM_WORDS } from '@/lib/domain/skew/platform-words'
import { ListFrame } from './list-frame'
import { NodesTable } from './nodes-table'
import { useTo } from './use-list'

const TITLES: [keyof NodeImagePage['facets'], string, Readonly<Record<string, string>>?][] = [
  ['verdict', 'Boot image', IMAGE_WORDS],
  ['stuck', 'Machines that never joined', { yes: 'some', no: 'none' }],
  ['platform', 'Platform', PLATFORM_WORDS],
  ['kind', 'Kind', { workers: 'machine sets', 'control-plane': 'control planes', 'no-machine': 'no Machine' }],
]

/** The boot image that each node started from, by cluster, machine set and image; those that need somebody first. */
export function BootImageNodes({ initial, query }: { initial: NodeImagePage; query: string }) {
  const params = useSearchParams()
  const to = useTo()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['boot-images', 'nodes', query],
    queryFn: ({ signal }) => getJson<NodeImagePage>(`/api/boot-images/nodes?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters', 'machines', 'pools'] },
  })
  return (
    <ListFrame
      tab="nodes"
      title="Which boot image each node started from, where that can be known."
      aside="A Machine keeps the image it was made with. A template of vSphere may hold another one by now, and of a node without a Machine nothing tells."
      query={query}
      filter={parseNodeFilter(params.get('q') ?? '')}
      toggled={(text, key, value) => toggledNode(text, key as NodeKey, value)}
      placeholder="verdict:below,outdated platform:aws stuck:yes"
      facets={TITLES.map(([key, title, words]) => ({ key, title, values: data.facets[key], ...(words && { words }) }))}
      total={data.total}
      one="image"
      shown={data.images.length}
      after={data.after}
      problems={data.problems}
      error={error}
      old={isPlaceholderData}
    >
      <NodesTable images={data.images} sorts={to} />
    </ListFrame>
  )
}
