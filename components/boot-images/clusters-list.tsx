'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useState, type ReactNode } from 'react'
import { getJson } from '@/components/live'
import { count, Selectable } from '@/components/ui'
import { MANAGED_WORDS } from '@/lib/domain/boot-images/managed/managing'
import { NODE_RISK_WORDS } from '@/lib/domain/skew/node-risk'
import { PLATFORM_WORDS } from '@/lib/domain/skew/platform-words'
import { parseClusterFilter, toggledCluster, type ClusterKey } from '@/lib/services/skew/filter'
import type { BootImagePage, BootImageSummary } from '@/lib/services/skew/list'
import { ClusterTable } from './cluster-table'
import { ListFrame } from './list-frame'
import { SeveralBar } from './several/bar'
import { SeveralManagedSheet } from './several/managed-sheet'
import { SeveralSkewSheet, type SeveralActions } from './several/sheet'
import { useChosen } from './several/use-chosen'
import type { SeveralDoing } from './types'
import { useTo } from './use-list'
import { headline, TYPED_ONLY, VERDICTS, type Told } from './words'

const wordsOf = (told: Record<string, Told>): Record<string, string> =>
  Object.fromEntries(Object.entries(told).map(([key, { words }]) => [key, words]))

const TITLES: [keyof BootImagePage['facets'], string, Readonly<Record<string, string>>?][] = [
  ['verdict', 'Verdict', wordsOf(VERDICTS)],
  ['nodes', 'New machines', NODE_RISK_WORDS],
  ['mode', 'Mode', { automatic: 'Automatic', manual: 'Manual', none: 'None', unavailable: 'not available' }],
  ['platform', 'Platform', PLATFORM_WORDS],
  ['version', 'Version'],
  ['managed', 'Managed updates', MANAGED_WORDS],
  ['review', 'Review', { nothing: 'nothing decided here', none: 'no date', dated: 'has a date', due: 'is due' }],
]

/** All OpenShift clusters with their verdict, the worst first. */
export function BootImageClusters({
  initial,
  query,
  only,
  several,
}: {
  initial: BootImagePage
  query: string
  /** The page of the only cluster that there is, shown in the list’s place for as long as it is. */
  only: ReactNode
  /** Null: nobody decides anything here. */
  several: SeveralActions | null
}) {
  const params = useSearchParams()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['boot-images', 'clusters', query],
    queryFn: ({ signal }) => getJson<BootImagePage>(`/api/boot-images?${query}`, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    meta: { topics: ['clusters', 'streams'] },
  })
  const chosen = useChosen(data.clusters)
  const [doing, setDoing] = useState<SeveralDoing | null>(null)
  const deciding = (actions: SeveralActions) => ({
    ...{ chosen: chosen.chosen, actions, onDecided: chosen.remove },
    onClose: () => setDoing(null),
  })
  if (only && data.summary.clusters === 1) return only
  return (
    <ListFrame
      tab="clusters"
      title={headline(data.summary)}
      aside={<Below summary={data.summary} />}
      query={query}
      filter={parseClusterFilter(params.get('q') ?? '')}
      toggled={(text, key, value) => toggledCluster(text, key as ClusterKey, value)}
      placeholder="verdict:out-of-skew platform:aws version:<4.22"
      facets={[
        ...TITLES.map(([key, title, words]) => ({ key, title, values: data.facets[key], ...(words && { words }) })),
        ...TYPED_ONLY,
      ]}
      total={data.total}
      one="cluster"
      shown={data.clusters.length}
      after={data.after}
      problems={data.problems}
      error={error}
      old={isPlaceholderData}
    >
      <Selectable bar={several && <SeveralBar of={chosen} onDo={setDoing} />}>
        <ClusterTable rows={data.clusters} chosen={several && chosen} />
      </Selectable>
      {several && doing === 'managed' && <SeveralManagedSheet {...deciding(several)} />}
      {several && doing && doing !== 'managed' && <SeveralSkewSheet {...deciding(several)} doing={doing} />}
    </ListFrame>
  )
}

function Below({ summary: { closed, unheard, atRisk, flagged, due, failing } }: { summary: BootImageSummary }) {
  const to = useTo()
  const rest = [
    // Where none is known to, the headline says it.
    closed > 0 && unheard > 0 && `In ${count(unheard, 'cluster')} that is not known now.`,
    atRisk > 0 && `New machines may not join in ${count(atRisk, 'cluster')}.`,
    flagged > 0 && `The evidence speaks against ${count(flagged, 'acknowledgement')}.`,
    due > 0 && `${count(due, 'decision')} ${due === 1 ? 'is' : 'are'} due for review.`,
  ]
  return (
    <>
      {failing > 0 && (
        <Link href={to({ q: 'failing:yes', after: null })} className="underline">
          The operator fails to update boot images in {count(failing, 'cluster')}.
        </Link>
      )}{' '}
      {rest.filter(Boolean).join(' ')}
    </>
  )
}
