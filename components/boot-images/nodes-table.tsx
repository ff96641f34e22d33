'use client'

import Link from 'next/link'
import { SortTh } from '@/components/table/sort-th'
import { Chip, MiddleTruncate, RelativeTime, Table, Td, Th, Tr } from '@/components/ui'
import { formatTerm } from '@/lib/services/filter-grammar'
import type { NodeImageRow } from '@/lib/services/skew/list-node-images'
import { datedWords } from '@/lib/domain/boot-images/dated-words'
import { ImageName } from './image-name'
import { SURE_OF } from '@/lib/domain/boot-images/set-words'
import { imageTold } from './words'

const LINK = 'underline decoration-line-strong underline-offset-2 hover:decoration-ink'

/** Machines and nodes by the image they started from. */
export function NodesTable({
  images,
  sorts,
}: {
  images: NodeImageRow[]
  sorts(changes: Record<string, string | null>): string
}) {
  const heading = (sort: string, words: string, num?: boolean) => (
    <SortTh sort={sort} first="risk" down={['risk', 'machines']} to={sorts} num={num}>
      {words}
    </SortTh>
  )
  return (
    <Table stack label="Nodes by boot image" className="[&_td]:py-1.5 [&_td]:align-top">
      <thead>
        <tr>
          {heading('name', 'machine set')}
          {heading('cluster', 'cluster')}
          {heading('machines', 'nodes', true)}
          {heading('risk', 'boot image')}
          <Th>image of</Th>
          {heading('age', 'machines made')}
        </tr>
      </thead>
      <tbody>
        {images.map((row) => (
          <ImageRow key={row.id} row={row} />
        ))}
      </tbody>
    </Table>
  )
}

function ImageRow({ row }: { row: NodeImageRow }) {
  const { tone, words } = imageTold(row.verdict)
  const href = hrefOf(row)
  const nodes = `${row.nodes} ${row.nodes === 1 ? 'node' : 'nodes'}`
  return (
    <Tr>
      <Td className="max-w-[240px] min-w-36">
        {row.name ? <MiddleTruncate text={row.name} tail={12} /> : <span className="text-ink-2">no Machine</span>}
      </Td>
      <Td className="max-w-[180px] truncate" title={row.cluster}>
        <Link href={`/boot-images/${row.clusterId}`} prefetch={false} className="hover:underline">
          {row.cluster}
        </Link>
      </Td>
      <Td num className="whitespace-nowrap">
        {href ? (
          <Link href={href} prefetch={false} className={LINK} aria-label={`${nodes} of ${row.name}`}>
            {row.nodes}
            <span className="hidden max-phone:inline"> {row.nodes === 1 ? 'node' : 'nodes'}</span>
          </Link>
        ) : (
          <>
            {row.nodes}
            <span className="hidden max-phone:inline"> {row.nodes === 1 ? 'node' : 'nodes'}</span>
          </>
        )}
      </Td>
      <Td className="w-full min-w-56 max-phone:basis-full">
        <span className="inline-flex flex-wrap items-center gap-1.5">
          <Chip tone={tone}>{words}</Chip>
          {row.stuck > 0 && (
            <Chip tone="bad">{row.stuck === 1 ? 'one does not join' : `${row.stuck} do not join`}</Chip>
          )}
        </span>
        {row.image && (
          <div className="mt-1">
            <ImageName image={row.image} className="max-w-[min(26rem,100vw-4rem)]!" />
          </div>
        )}
        {row.verdict === 'unknown' && <p className="mt-0.5 max-w-[72ch] text-sm text-pretty text-ink-3">{why(row)}</p>}
      </Td>
      <Td className="whitespace-nowrap">
        {row.dated ? (
          <>
            <span className="font-mono text-sm">{datedWords(row.dated, row.image)}</span>
            <div className="text-sm text-ink-3">{SURE_OF[row.datedSure as keyof typeof SURE_OF] ?? ''}</div>
          </>
        ) : (
          <span className="text-sm text-ink-3">
            <span className="hidden max-phone:inline">image age </span>not known
          </span>
        )}
      </Td>
      <Td className="text-sm whitespace-nowrap text-ink-2">{row.oldest && <Made row={row} />}</Td>
    </Tr>
  )
}

const DAY = 86_400_000

/** The oldest, and where that is another day, the newest. */
function Made({ row: { oldest, newest } }: { row: NodeImageRow }) {
  if (!oldest || !newest) return null
  if (Date.parse(newest) - Date.parse(oldest) < DAY) return <RelativeTime at={oldest} />
  return (
    <>
      <RelativeTime at={oldest} />
      <div className="text-ink-3">
        last <RelativeTime at={newest} />
      </div>
    </>
  )
}

/** The machines of the row; nodes without a Machine are in no list of machines. */
function hrefOf({ cluster, name, controlPlane, image, machines }: NodeImageRow): string | null {
  if (machines === 0) return null
  const term = (key: string, value: string) => formatTerm({ key, not: false, operator: '=', values: [value] })
  const terms = [
    term('cluster', cluster),
    controlPlane ? term('role', 'control-plane') : name && term('group', name),
    image && term('image', image),
  ]
  return `/machines?${new URLSearchParams({ q: terms.filter(Boolean).join(' ') })}`
}

function why({ machines, image, platform, wanted, dated }: NodeImageRow): string {
  if (machines === 0)
    return 'No Machine stands for these nodes: only a file on each of them tells what it started from.'
  if (!image && platform === 'BareMetal')
    return 'On bare metal they start from the image that is part of the release of that day: nothing keeps which one it was.'
  if (!image)
    return 'Their Machines name no image by its id or its name: at most an address, or a filter that finds one.'
  if (platform === 'VSphere')
    return 'Only vCenter knows which version the template holds, and it may have been another one then.'
  if (platform === 'BareMetal')
    return 'An address of an image: nothing tells what was there then, nor how old that was.'
  if (dated) return 'Nothing tells whether it is older than that of the release.'
  if (wanted) return 'Not the image of the release, and nothing tells how old it is.'
  return 'Nothing tells which image the release wants here, nor how old this one is.'
}
