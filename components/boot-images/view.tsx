'use client'

import { useQuery } from '@tanstack/react-query'
import { getJson, problemFrom } from '@/components/live'
import { EmptyState, ErrorState, LinkButton } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/list'
import { ClusterCard } from './card'
import type { BootImageActions } from './types'

interface Props {
  initial: BootImageCard[]
  scope: string | null
  mayAct: boolean
  actions: BootImageActions
}

export function BootImages({ initial, scope, mayAct, actions }: Props) {
  const query = scope ? `?cluster=${encodeURIComponent(scope)}` : ''
  const { data, error } = useQuery({
    queryKey: ['boot-images', scope],
    queryFn: ({ signal }) => getJson<BootImageCard[]>(`/api/boot-images${query}`, signal),
    initialData: initial,
    meta: { topics: ['clusters'] },
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <h1 className="max-w-[62ch] text-lg leading-snug font-[560] text-pretty">{headline(data)}</h1>
      {error && <ErrorState error={problemFrom(error)} />}
      {data.length === 0 ? (
        <EmptyState
          title="No OpenShift cluster is connected here."
          action={<LinkButton href="/clusters">Clusters</LinkButton>}
        >
          Boot images are managed by OpenShift. Connect an OpenShift cluster, and its machine sets and its limit stand
          here within seconds.
        </EmptyState>
      ) : (
        data.map((card) => <ClusterCard key={card.clusterId} card={card} actions={actions} mayAct={mayAct} />)
      )}
    </div>
  )
}

function headline(cards: BootImageCard[]): string {
  const closed = cards.filter((c) => c.verdict === 'out-of-skew' || c.verdict === 'update-failing').length
  if (cards.length === 0) return 'Boot images'
  if (closed === 0)
    return cards.length === 1
      ? 'The boot image keeps no update closed.'
      : 'No cluster’s boot image keeps its updates closed.'
  if (cards.length === 1) return 'The OpenShift cluster boots below its limit.'
  return closed === 1
    ? `One of ${cards.length} OpenShift clusters boots below its limit.`
    : `${closed} of ${cards.length} OpenShift clusters boot below their limit.`
}
