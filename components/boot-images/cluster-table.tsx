'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { useRouter, useSearchParams } from 'next/navigation'
import type { MouseEvent } from 'react'
import { SortTh } from '@/components/table/sort-th'
import { useSteadyRows } from '@/components/table/steady-rows'
import { SelectAll, SelectRow } from '@/components/updates/several/boxes'
import { Button, Chip, count, Day, RelativeTime, Table, Td, Th, Tr, Version } from '@/components/ui'
import { failedCauses, failedSentence } from '@/lib/domain/boot-images/failed-pass'
import { CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import type { BootImageRow } from '@/lib/services/skew/list'
import { MOST_CLUSTERS, type Chosen } from './several/use-chosen'
import { SetCounts } from './set-counts'
import { useTo } from './use-list'
import { NODES, PASS_FAILED, stuckBeside, toldOf } from './words'
import { platformWords } from '@/lib/domain/skew/platform-words'

const DOWN = ['risk']

/** `chosen`: several can be chosen, to be decided on together. */
export function ClusterTable({ rows: fresh, chosen }: { rows: BootImageRow[]; chosen: Chosen | null }) {
  const to = useTo()
  const params = useSearchParams()
  const router = useRouter()
  const { rows, waiting, show, hold } = useSteadyRows(fresh, params.toString())
  const open = (event: MouseEvent, href: string) => {
    const onLink = event.target instanceof Element && event.target.closest('a, button, label') !== null
    if (!onLink && window.getSelection()?.isCollapsed !== false) router.push(href)
  }
  const sorts = { first: 'risk', down: DOWN, to }
  return (
    <div {...hold}>
      {waiting && (
        <p className="mb-1 text-sm text-ink-2">
          The order has changed meanwhile.{' '}
          <Button small tone="bare" onClick={show}>
            Show it
          </Button>
        </p>
      )}
      {chosen && rows.length > 1 && (
        <div className="mb-1">
          <SelectAll ids={rows.map(({ id }) => id)} most={MOST_CLUSTERS} selection={chosen} />
        </div>
      )}
      <Table stack label="OpenShift clusters" className="[&_td]:py-1.5 [&_td]:align-top">
        <thead>
          <tr>
            <SortTh sort="name" {...sorts}>
              cluster
            </SortTh>
            <SortTh sort="risk" {...sorts}>
              verdict
            </SortTh>
            <SortTh sort="distance" {...sorts}>
              recorded
            </SortTh>
            <Th>new machines</Th>
            <Th>machine sets</Th>
            <SortTh sort="review" {...sorts}>
              review
            </SortTh>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ClusterRow key={row.id} row={row} chosen={chosen} onOpen={(event) => open(event, hrefOf(row))} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

const hrefOf = (row: BootImageRow): string => `/boot-images/${row.id}`

interface RowProps {
  row: BootImageRow
  chosen: Chosen | null
  onOpen(event: MouseEvent): void
}

function ClusterRow({ row, chosen, onOpen }: RowProps) {
  const { words, tone } = toldOf(row)
  const fails = row.verdict === 'update-failing' ? null : row.passFailed
  const stands = stuckBeside(row)
  const nodes = NODES[row.nodeRisk]
  const away = row.connection.state === 'unreachable' || row.connection.state === 'unauthorised'
  const old = away ? (row.connection.message ?? undefined) : row.unheard?.why
  return (
    <Tr className="cursor-pointer" onClick={onOpen}>
      <Td className="min-w-32">
        <SelectRow id={row.id} name={row.name} selection={chosen}>
          <Link href={hrefOf(row)} prefetch={false} className="font-medium hover:underline">
            {row.name}
          </Link>
        </SelectRow>
        <div className="text-sm text-ink-3">
          {row.version && <Version>{row.version}</Version>}
          {row.platform && ` ${platformWords(row.platform)}`}
        </div>
        {(away || row.unheard) && (
          <div className="text-sm text-blocked" title={old}>
            <span aria-hidden>◌ </span>old data
            {!away && row.unheard?.since && (
              <>
                {' '}
                (<RelativeTime at={row.unheard.since} />)
              </>
            )}
          </div>
        )}
      </Td>
      <Td className="w-full min-w-56 max-phone:basis-full">
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <Chip tone={fails && tone === 'good' ? 'plain' : tone}>{words}</Chip>
          {fails && <Chip tone="bad">{PASS_FAILED}</Chip>}
          <span className="text-sm text-ink-3" title={row.modeWhy ?? undefined}>
            {row.mode ? `mode ${row.mode}` : 'no mode'}
          </span>
        </span>
        <p className="mt-0.5 line-clamp-2 max-w-[72ch] text-sm text-pretty text-ink-2" title={row.sentence}>
          {row.sentence}
        </p>
        {row.passFailed && (
          <p className="line-clamp-2 max-w-[72ch] text-sm wrap-anywhere text-blocked" title={row.passFailed}>
            {fails && `${failedSentence(fails)} `}
            {failedCauses(row.passFailed)}
          </p>
        )}
        {stands && <p className="line-clamp-2 max-w-[72ch] text-sm text-blocked">{stands}</p>}
      </Td>
      <Td className="whitespace-nowrap">
        {row.recorded && <Version>{row.recorded}</Version>}
        {row.distanceWords && (
          <div className={clsx('text-sm', (row.distance ?? 0) < 0 ? 'text-blocked' : 'text-ink-3')}>
            {short(row.distance ?? 0, row.distanceWords)}
          </div>
        )}
        {row.recorded && (
          <div
            className={clsx('text-sm', row.confidence === 'against' ? 'text-blocked' : 'text-ink-3')}
            title={row.confidenceWhy}
          >
            {CONFIDENCE_WORDS[row.confidence]}
          </div>
        )}
      </Td>
      <Td>
        <span title={row.nodeRiskWhy}>
          <Chip tone={nodes.tone}>
            <span className="hidden max-phone:inline">new machines</span>
            {nodes.words}
          </Chip>
        </span>
      </Td>
      <Td className="whitespace-nowrap">
        <SetCounts counts={row.sets} />
      </Td>
      <Td className="whitespace-nowrap">
        {row.reviewDue ? (
          <Chip tone="needs">review due</Chip>
        ) : (
          row.reviewAt && (
            <span className="text-sm text-ink-2">
              <span className="hidden max-phone:inline">review </span>
              <Day at={row.reviewAt} />
            </span>
          )
        )}
        {row.flaggedWhy && (
          <div title={row.flaggedWhy}>
            <Chip tone="needs">evidence against it</Chip>
          </div>
        )}
      </Td>
    </Tr>
  )
}

/** `words`: in full, which say what is counted. */
export const short = (distance: number, words: string): string =>
  distance === 0
    ? 'at the floor'
    : `${count(Math.abs(distance), words.includes('RHEL') ? 'RHEL minor release' : 'minor release')} ${distance < 0 ? 'below' : 'above'} the floor`
