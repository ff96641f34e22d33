'use client'

import { useQuery } from '@tanstack/react-query'
import { getJson } from '@/components/live'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import { EmptyState, LinkButton, Section, Table, Td, Th, Tr } from '@/components/ui'
import { UpdaterState } from '@/components/updaters/state'
import { forWords } from '@/components/updaters/words'

interface Props {
  /** The management cluster's name. */
  cluster: string
  initial: UpdatersOfCluster[]
  mayWrite: boolean
}

/** The Runtime Extensions that do the in-place work, in the order in which they are asked; the gate stands before them. */
export function UpdatersPanel({ cluster, initial, mayWrite }: Props) {
  const query = `cluster=${encodeURIComponent(cluster)}`
  const { data } = useQuery({
    queryKey: ['updaters', query],
    queryFn: ({ signal }) => getJson<UpdatersOfCluster[]>(`/api/updaters?${query}`, signal),
    initialData: initial,
  })
  const updaters = data.flatMap((one) => one.updaters)
  const link = (
    <LinkButton href={`/updaters?${query}`}>
      {mayWrite ? (updaters.length > 0 ? 'Add, order, ask or edit updaters' : 'Add an updater') : 'All of the updaters'}
    </LinkButton>
  )
  return (
    <Section title="Updaters">
      {updaters.length === 0 ? (
        <EmptyState title="No updater is configured: nothing can be changed in place here." action={mayWrite && link}>
          An updater is a Runtime Extension that says which fields it can change on a running machine, and does it.
        </EmptyState>
      ) : (
        <>
          <Table stack label="Updaters">
            <thead>
              <tr>
                <Th>updater</Th>
                <Th>address</Th>
                <Th wide>for</Th>
                <Th>state</Th>
              </tr>
            </thead>
            <tbody>
              {updaters.map((updater) => (
                <Tr key={updater.id}>
                  <Td className="font-medium">{updater.name}</Td>
                  <Td className="font-mono text-sm break-all">{updater.url}</Td>
                  <Td wide className="text-ink-2">
                    {forWords(updater)}
                  </Td>
                  <Td>
                    <UpdaterState health={updater.health} />
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
          <div className="mt-3">{link}</div>
        </>
      )}
    </Section>
  )
}
