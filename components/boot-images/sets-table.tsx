'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { SortTh } from '@/components/table/sort-th'
import { Chip, MiddleTruncate, Table, Td, Th, Tr } from '@/components/ui'
import type { ImageSetRow } from '@/lib/services/skew/list-sets'
import { datedWords } from '@/lib/domain/boot-images/dated-words'
import { ImageName } from './image-name'
import { OUTCOMES, setName, SURE_OF } from '@/lib/domain/boot-images/set-words'
import { imageTold } from './words'

/** Which image each machine set starts machines from, which the release wants, and what becomes of it. */
export function SetsTable({
  sets,
  label,
  clusters = false,
  sorts,
}: {
  sets: ImageSetRow[]
  label: string
  /** With the cluster of each. */
  clusters?: boolean
  /** The address of the list in another order; absent: it has one order. */
  sorts?(changes: Record<string, string | null>): string
}) {
  const heading = (sort: string, words: string, num?: boolean) =>
    sorts ? (
      <SortTh sort={sort} first="risk" down={['risk', 'machines']} to={sorts} num={num}>
        {words}
      </SortTh>
    ) : (
      <Th num={num}>{words}</Th>
    )
  return (
    <Table stack label={label} className="[&_td]:py-1.5 [&_td]:align-top">
      <thead>
        <tr>
          {heading('name', 'machine set')}
          {clusters && heading('cluster', 'cluster')}
          {heading('machines', 'machines', true)}
          {heading('risk', 'boot image')}
          <Th>image of</Th>
          <Th>the operator</Th>
          {!clusters && <Th wide>now and wanted</Th>}
        </tr>
      </thead>
      <tbody>
        {sets.map((set) => (
          <SetRow key={set.id} set={set} clusters={clusters} />
        ))}
      </tbody>
    </Table>
  )
}

function SetRow({ set, clusters }: { set: ImageSetRow; clusters: boolean }) {
  const images = (set.wanted || set.current) && <Images set={set} inCell={clusters} />
  const state = imageTold(set.state)
  return (
    <Tr>
      <Td className="max-w-[240px] min-w-36">
        <MiddleTruncate text={setName(set)} tail={12} />
      </Td>
      {clusters && (
        <Td className="max-w-[180px] truncate" title={set.cluster}>
          <Link href={`/boot-images/${set.clusterId}`} prefetch={false} className="hover:underline">
            {set.cluster}
          </Link>
        </Td>
      )}
      <Td num>
        {set.replicas}
        <span className="hidden max-phone:inline"> {set.replicas === 1 ? 'machine' : 'machines'}</span>
      </Td>
      <Td className="w-full min-w-56 max-phone:basis-full">
        <span className="inline-flex flex-wrap items-center gap-1.5">
          <Chip tone={state.tone}>{state.words}</Chip>
          {set.marketplace && <Chip>marketplace image</Chip>}
        </span>
        {/* Beside facets and clusters there is no room for a column of its own. */}
        {images && <div className={clusters ? 'mt-1 w-0 min-w-full' : 'mt-1 hidden max-phone:block'}>{images}</div>}
        {set.reason && <p className="mt-0.5 max-w-[72ch] text-sm text-pretty text-ink-3">{set.reason}</p>}
        {set.error && <p className="mt-0.5 text-sm wrap-anywhere text-blocked">✕ {set.error}</p>}
      </Td>
      <Td className="whitespace-nowrap">
        {set.dated ? (
          <>
            <span className="font-mono text-sm">{datedWords(set.dated, set.current)}</span>
            <div className="text-sm text-ink-3">{SURE_OF[set.datedSure as keyof typeof SURE_OF] ?? ''}</div>
          </>
        ) : (
          <span className="text-sm text-ink-3">
            <span className="hidden max-phone:inline">image age </span>not known
          </span>
        )}
      </Td>
      <Td className="text-sm whitespace-nowrap text-ink-2">
        {set.managed ? (OUTCOMES[set.outcome] ?? set.outcome) : <span className="text-ink-3">not managed</span>}
      </Td>
      {!clusters && <Td wide>{images}</Td>}
    </Tr>
  )
}

/** `inCell`: as wide as its cell is, for which it asks no room of its own. */
function Images({ set, inCell }: { set: ImageSetRow; inCell: boolean }) {
  const room = inCell ? 'max-w-full!' : undefined
  const wanted = set.wanted && (
    <>
      <ImageName image={set.wanted} className={room} />
      {set.streamVersion && <span className="ml-1 text-sm whitespace-nowrap text-ink-3">({set.streamVersion})</span>}
    </>
  )
  // A copy of it is current, too, under another name.
  if (set.current === set.wanted || (set.state === 'current' && set.outcome === 'unchanged')) return wanted || null
  return (
    // Alone it would be given no more room than its heading, and lie beyond the table.
    <span
      className={clsx(
        'inline-grid',
        inCell ? 'max-w-full grid-cols-[minmax(0,auto)]' : wanted ? 'max-w-full' : 'w-max',
      )}
    >
      {set.current ? (
        <ImageName image={set.current} className={room} />
      ) : (
        <span className="text-ink-3">none named</span>
      )}
      {wanted && (
        <span className="inline-flex max-w-full items-baseline">
          <span aria-hidden className="pr-1.5 text-ink-3">
            →
          </span>
          <span className="sr-only"> to </span>
          {wanted}
        </span>
      )}
    </span>
  )
}
