'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { Button, count, EmptyState, ErrorState, Section } from '@/components/ui'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import { AddSheet } from './add-sheet'
import { Order } from './order'
import type { UpdaterActions } from './types'

interface Props {
  initial: UpdatersOfCluster[]
  /** The scope, as the URL has it. */
  query: string
  mayWrite: boolean
  actions: UpdaterActions
}

/** Who does the in-place work: each management cluster's updaters in their order, how they fare and what they cover. */
export function UpdatersPage({ initial, query, mayWrite, actions }: Props) {
  const [adding, setAdding] = useState<UpdatersOfCluster | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['updaters', query],
    queryFn: ({ signal }) => getJson<UpdatersOfCluster[]>(`/api/updaters?${query}`, signal),
    initialData: initial,
    meta: { topics: ['changes', 'clusters'] },
  })
  const changed = () => void refetch()
  return (
    <>
      <header className="mb-1">
        <h1>Updaters</h1>
        <p className="mt-1 max-w-[80ch] text-ink-2">
          An updater is a Runtime Extension that says which fields it can change on a running machine, and does it. They
          are asked in this order, each about what those before it leave, and they work on a machine in the same order.
        </p>
      </header>
      {error && <ErrorState className="mt-3" error={problemFrom(error)} />}
      {data.length === 0 && (
        <EmptyState title="No management cluster with Cluster API is connected here.">
          Updaters belong to management clusters: connect one on the page Clusters.
        </EmptyState>
      )}
      {data.map((cluster) => (
        <Section
          key={cluster.id}
          id={`updaters-${cluster.id}`}
          title={cluster.name}
          aside={cluster.updaters.length > 0 ? count(cluster.updaters.length, 'updater') : undefined}
        >
          {cluster.updaters.length === 0 ? (
            <EmptyState title="No updater is configured: nothing can be changed in place here.">
              {!mayWrite && 'An administrator of Drydock can add one.'}
            </EmptyState>
          ) : (
            <Order cluster={cluster} mayWrite={mayWrite} actions={actions} onChanged={changed} />
          )}
          {mayWrite && (
            <Button
              className="mt-3"
              onClick={() => setAdding(cluster)}
              aria-label={`Add an updater to ${cluster.name}`}
            >
              Add an updater…
            </Button>
          )}
        </Section>
      ))}
      {adding && (
        <AddSheet
          cluster={adding}
          add={actions.add}
          onClose={() => setAdding(null)}
          onAdded={() => {
            setAdding(null)
            changed()
          }}
        />
      )}
    </>
  )
}
