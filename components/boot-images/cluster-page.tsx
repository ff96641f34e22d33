'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { getJson, problemFrom } from '@/components/live'
import { EmptyState, ErrorState, LinkButton } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { BesidesSections } from './besides'
import { ByHand } from './by-hand'
import { ClusterCard } from './card'
import { ManagedImages } from './managed'
import { NoPlatform } from './no-platform'
import { MachineSets } from './sets'
import type { BootImageActions } from './types'

/** One cluster's boot images in full. */
export function BootImageCluster({
  initial,
  alone = false,
  mayAct,
  actions,
}: {
  initial: BootImageCard
  /** There is no other to go back to. */
  alone?: boolean
  mayAct: boolean
  actions: BootImageActions
}) {
  const { data: card, error } = useQuery({
    queryKey: ['boot-images', 'cluster', initial.clusterId],
    queryFn: ({ signal }) => getJson<BootImageCard | null>(`/api/boot-images/clusters/${initial.clusterId}`, signal),
    initialData: initial,
    meta: { topics: ['clusters', 'pools', 'gates'] },
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header>
        {!alone && (
          <p className="mb-1 text-sm">
            <Link href="/boot-images" className="text-ink-2 hover:underline">
              ← All OpenShift clusters
            </Link>
          </p>
        )}
        <h1 className="text-lg leading-snug font-[560]">Boot images of {initial.name}</h1>
      </header>
      {error && <ErrorState error={problemFrom(error)} />}
      {card ? (
        <div>
          <ClusterCard card={card} actions={actions} mayAct={mayAct} />
          {card.managing && <ManagedImages card={card} managing={card.managing} mayAct={mayAct} actions={actions} />}
          <NoPlatform card={card} />
          <MachineSets card={card} />
          <ByHand card={card} />
          <BesidesSections besides={card.besides} />
        </div>
      ) : (
        <EmptyState
          title="This cluster is no longer connected."
          action={<LinkButton href="/clusters">Clusters</LinkButton>}
        >
          Its boot images are not followed any more.
        </EmptyState>
      )}
    </div>
  )
}
